//! What the kernel denies the CLI: files, connections and signals outside its bounds (Landlock).
//!
//! As much as the kernel supports: an older one gives less, and `confinement` says what it gives.

use std::{fmt, io};

use super::SupervisorOptions;

/// Read by every program: libraries, certificates, name lookup. Not the rest of `/etc`, where secrets are.
#[cfg(target_os = "linux")]
const SYSTEM_READS: &[&str] = &[
    "/usr",
    "/bin",
    "/sbin",
    "/lib",
    "/lib64",
    "/opt",
    "/nix/store",
    "/snap",
    "/home/linuxbrew/.linuxbrew",
    "/etc/alternatives",
    "/etc/ca-certificates",
    "/etc/gai.conf",
    "/etc/group",
    "/etc/host.conf",
    "/etc/hosts",
    "/etc/ld.so.cache",
    "/etc/ld.so.conf",
    "/etc/ld.so.conf.d",
    "/etc/localtime",
    "/etc/nsswitch.conf",
    "/etc/os-release",
    "/etc/passwd",
    "/etc/pki/tls",
    "/etc/protocols",
    "/etc/resolv.conf",
    "/etc/services",
    "/etc/ssl/certs",
    "/etc/ssl/openssl.cnf",
    "/etc/timezone",
    "/run/systemd/resolve",
    "/run/resolvconf",
    "/proc/cpuinfo",
    "/proc/meminfo",
    "/proc/stat",
    "/proc/version",
    "/proc/sys/vm",
    "/proc/self",
    "/sys/devices/system/cpu",
    "/sys/fs/cgroup",
    "/dev/urandom",
    "/dev/random",
    "/dev/zero",
];
#[cfg(target_os = "linux")]
const SYSTEM_WRITES: &[&str] = &["/dev/null"];

/// Whether the kernel enforces a bound.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum KernelEnforcement {
    ByTheKernel,
    Not,
}

/// What this kernel can deny the CLI.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Confinement {
    /// Reads only what it needs, writes only its own folder.
    pub files: KernelEnforcement,
    /// Connects only to the service's port.
    pub connections: KernelEnforcement,
    /// Signals and abstract sockets reach only its own processes.
    pub signals: KernelEnforcement,
}

impl fmt::Display for Confinement {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let parts = [(self.files, "files"), (self.connections, "connections"), (self.signals, "signals")];
        let held: Vec<&str> = parts
            .iter()
            .filter(|(held, _)| *held == KernelEnforcement::ByTheKernel)
            .map(|(_, name)| *name)
            .collect();
        match held.as_slice() {
            [] => out.write_str("this kernel confines nothing"),
            held => write!(out, "this kernel confines {}", held.join(", ")),
        }
    }
}

/// What this kernel can do. Changes nothing.
#[cfg(target_os = "linux")]
pub fn confinement() -> Confinement {
    use landlock::{
        ABI, Access as _, AccessFs, AccessNet, CompatLevel, Compatible as _, Ruleset, RulesetAttr as _, Scope,
    };
    let hard = || Ruleset::default().set_compatibility(CompatLevel::HardRequirement);
    let held = |works: bool| if works { KernelEnforcement::ByTheKernel } else { KernelEnforcement::Not };
    Confinement {
        files: held(hard().handle_access(AccessFs::from_all(ABI::V1)).and_then(Ruleset::create).is_ok()),
        connections: held(hard().handle_access(AccessNet::ConnectTcp).and_then(Ruleset::create).is_ok()),
        signals: held(hard().scope(Scope::Signal).and_then(Ruleset::create).is_ok()),
    }
}

#[cfg(not(target_os = "linux"))]
pub fn confinement() -> Confinement {
    Confinement {
        files: KernelEnforcement::Not,
        connections: KernelEnforcement::Not,
        signals: KernelEnforcement::Not,
    }
}

/// Confines this process and all it starts, for good.
#[cfg(target_os = "linux")]
pub fn confine(order: &SupervisorOptions) -> io::Result<()> {
    use landlock::{
        ABI, Access as _, AccessFs, AccessNet, NetPort, Ruleset, RulesetAttr as _, RulesetCreatedAttr as _,
        Scope, path_beneath_rules,
    };
    /// The newest Landlock version that this list was written for.
    const BOUNDS: ABI = ABI::V6;
    let confined = || -> Result<(), landlock::RulesetError> {
        let ports = order.ports.iter().map(|port| Ok(NetPort::new(*port, AccessNet::ConnectTcp)));
        let reads = AccessFs::from_read(BOUNDS);
        let all = AccessFs::from_all(BOUNDS);
        Ruleset::default()
            .handle_access(all)?
            .handle_access(AccessNet::from_all(BOUNDS))?
            .scope(Scope::from_all(BOUNDS))?
            .create()?
            .add_rules(path_beneath_rules(SYSTEM_READS, reads))?
            .add_rules(path_beneath_rules(&order.reads, reads))?
            .add_rules(path_beneath_rules(SYSTEM_WRITES, all))?
            .add_rules(path_beneath_rules([&order.own], all))?
            .add_rules(ports.collect::<Vec<Result<NetPort, landlock::RulesetError>>>())?
            .restrict_self()?;
        Ok(())
    };
    confined().map_err(|error| io::Error::other(format!("the kernel did not confine it: {error}")))
}

#[cfg(not(target_os = "linux"))]
pub fn confine(_order: &SupervisorOptions) -> io::Result<()> {
    Ok(())
}
