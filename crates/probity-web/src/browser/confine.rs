//! What the kernel denies Chromium, besides its own sandbox: files and connections outside its bounds
//! (Landlock).
//!
//! A second barrier behind the proxy: a page that breaks out of the renderer still reaches no other port than
//! the proxy's.

use std::{io, path::Path};

/// Libraries, fonts, certificates, and what Chromium asks about the machine. Not the rest of `/etc`. `/proc` is
/// readable, but the kernel denies a confined process the memory and the environment of others.
#[cfg(target_os = "linux")]
const READS: &[&str] = &[
    "/usr",
    "/bin",
    "/sbin",
    "/lib",
    "/lib64",
    "/opt",
    "/nix/store",
    "/snap",
    "/etc/alternatives",
    "/etc/ca-certificates",
    "/etc/chromium",
    "/etc/chromium.d",
    "/etc/fonts",
    "/etc/group",
    "/etc/hosts",
    "/etc/ld.so.cache",
    "/etc/ld.so.conf",
    "/etc/ld.so.conf.d",
    "/etc/localtime",
    "/etc/nsswitch.conf",
    "/etc/os-release",
    "/etc/passwd",
    "/etc/pki",
    "/etc/ssl/certs",
    "/etc/timezone",
    "/proc",
    "/sys/devices/system",
    "/sys/fs/cgroup",
    "/var/cache/fontconfig",
    "/dev/urandom",
    "/dev/random",
    "/dev/zero",
];
/// Chromium's own sandbox writes the maps of its user namespace below `/proc`. Root has no use for it: there is no
/// such sandbox for root, and root could write all users' maps.
#[cfg(target_os = "linux")]
const PROCESSES: &str = "/proc";

/// The barriers between a page and the machine.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct BrowserConfinement {
    /// Chromium's own sandbox around each page. It refuses to run as root.
    pub own_sandbox: bool,
    /// The kernel restricts Chromium to its folder and the system's libraries.
    pub files: bool,
    /// The kernel lets Chromium connect to the proxy's port only.
    pub connections: bool,
}

impl BrowserConfinement {
    /// For `doctor`: one sentence.
    pub fn sentence(self) -> &'static str {
        match (self.own_sandbox, self.files && self.connections) {
            (true, true) => "pages are held by Chromium's sandbox and by the kernel",
            (true, false) => "pages are held by Chromium's sandbox; this kernel adds nothing",
            (false, true) => {
                "Probity runs as root, so Chromium has no sandbox of its own; the kernel holds it"
            }
            (false, false) => {
                "Probity runs as root, so Chromium has no sandbox, and this kernel adds none: \
                 run Probity as another user, or switch rendering off"
            }
        }
    }
}

/// What confines Chromium on this machine. Changes nothing.
pub fn confinement() -> BrowserConfinement {
    let (files, connections) = kernel();
    BrowserConfinement { own_sandbox: !is_root(), files, connections }
}

pub fn is_root() -> bool {
    rustix::process::geteuid().is_root()
}

#[cfg(target_os = "linux")]
fn kernel() -> (bool, bool) {
    use landlock::{
        ABI, Access as _, AccessFs, AccessNet, CompatLevel, Compatible as _, Ruleset, RulesetAttr as _,
    };
    let hard = || Ruleset::default().set_compatibility(CompatLevel::HardRequirement);
    let files = hard().handle_access(AccessFs::from_all(ABI::V1)).and_then(Ruleset::create).is_ok();
    let connections = hard().handle_access(AccessNet::ConnectTcp).and_then(Ruleset::create).is_ok();
    (files, connections)
}

#[cfg(not(target_os = "linux"))]
fn kernel() -> (bool, bool) {
    (false, false)
}

/// Confines this thread and every process that it starts, for good. As much as the kernel supports.
#[cfg(target_os = "linux")]
pub fn confine_thread(own: &Path, program: &Path, port: u16) -> io::Result<()> {
    use landlock::{
        ABI, Access as _, AccessFs, AccessNet, NetPort, Ruleset, RulesetAttr as _, RulesetCreatedAttr as _,
        Scope, path_beneath_rules,
    };
    /// The newest Landlock version that this list was written for.
    const BOUNDS: ABI = ABI::V6;
    let beside = std::fs::canonicalize(program).unwrap_or_else(|_| program.to_owned());
    let beside = beside.parent().map(Path::to_owned);
    let processes = (!is_root()).then_some(PROCESSES);
    let confined = || -> Result<(), landlock::RulesetError> {
        let reads = AccessFs::from_read(BOUNDS);
        let all = AccessFs::from_all(BOUNDS);
        Ruleset::default()
            .handle_access(all)?
            .handle_access(AccessNet::from_all(BOUNDS))?
            .scope(Scope::from_all(BOUNDS))?
            .create()?
            .add_rules(path_beneath_rules(READS, reads))?
            .add_rules(path_beneath_rules(beside, reads))?
            .add_rules(path_beneath_rules(["/dev/null"], all))?
            .add_rules(path_beneath_rules(processes, all))?
            .add_rules(path_beneath_rules([own], all))?
            .add_rule(NetPort::new(port, AccessNet::ConnectTcp))?
            .restrict_self()?;
        Ok(())
    };
    confined().map_err(|error| io::Error::other(format!("the kernel did not confine it: {error}")))
}

#[cfg(not(target_os = "linux"))]
pub fn confine_thread(_own: &Path, _program: &Path, _port: u16) -> io::Result<()> {
    Ok(())
}
