//! A real desktop without a screen: a session bus, an X server in memory and a notification daemon.
#![expect(clippy::disallowed_methods, reason = "the daemon's clock is compared with the wall clock")]

use std::{
    io::{BufRead as _, BufReader},
    path::{Path, PathBuf},
    process::{Command, Stdio},
    thread,
    time::{Duration, SystemTime, UNIX_EPOCH},
};

use anyhow::{Context as _, bail, ensure};
use serde_json::Value;

use crate::rig::{self, ProcessGroup};

pub const PROGRAMS: [&str; 4] = ["dbus-daemon", "Xvfb", "dunst", "dunstctl"];
/// Starting takes some hundred milliseconds; a loaded machine gets this long.
const START_LIMIT: Duration = Duration::from_secs(20);
const LOOK_EVERY: Duration = Duration::from_millis(10);

/// A session bus of our own.
pub struct SessionBus {
    _process: ProcessGroup,
    pub address: String,
}

pub struct TestDesktop {
    // Dropped in this order: the daemon before what it stands on.
    _daemon: ProcessGroup,
    _screen: ProcessGroup,
    bus: SessionBus,
    home: PathBuf,
}

/// What the daemon showed.
pub struct DesktopPopup {
    pub text: String,
    pub shown_at_ms: i64,
}

/// Starts a bus on which nothing else can be started: no desktop of this machine is asked.
pub fn bus(folder: &Path) -> anyhow::Result<SessionBus> {
    let configuration = folder.join("bus.conf");
    std::fs::write(
        &configuration,
        format!(
            "<busconfig><type>session</type><listen>unix:dir={}</listen><policy context=\"default\">\
             <allow send_destination=\"*\" eavesdrop=\"true\"/><allow eavesdrop=\"true\"/><allow own=\"*\"/>\
             </policy></busconfig>",
            folder.display()
        ),
    )?;
    let mut command = rig::command("dbus-daemon");
    command.arg("--config-file").arg(&configuration).args(["--nofork", "--print-address=1"]);
    let (process, address) = started(&mut command)?;
    Ok(SessionBus { _process: process, address })
}

impl TestDesktop {
    pub fn start(folder: &Path) -> anyhow::Result<Self> {
        let bus = bus(folder)?;
        let mut command = rig::command("Xvfb");
        command.args(["-displayfd", "1", "-screen", "0", "640x480x24", "-nolisten", "tcp"]);
        let (screen, display) = started(&mut command)?;
        let home = folder.join("desktop");
        std::fs::create_dir_all(&home)?;
        let mut command = rig::command("dunst");
        surroundings(&mut command, &bus, &home).env("DISPLAY", format!(":{display}"));
        let daemon = ProcessGroup::spawn(command.stdout(Stdio::null()).stderr(Stdio::null()))?;
        let desktop = Self { _daemon: daemon, _screen: screen, bus, home };
        let until = rig::now() + START_LIMIT;
        while desktop.displayed().is_none() {
            ensure!(rig::now() < until, "dunst does not answer");
            thread::sleep(LOOK_EVERY);
        }
        Ok(desktop)
    }

    pub fn address(&self) -> &str {
        &self.bus.address
    }

    /// Waits for the next one on the screen, takes it down and reads it.
    pub fn next_popup(&self, limit: Duration) -> anyhow::Result<DesktopPopup> {
        let until = rig::now() + limit;
        while self.displayed().unwrap_or_default() == 0 {
            ensure!(rig::now() < until, "nothing was shown within {limit:?}");
            thread::sleep(LOOK_EVERY);
        }
        self.control(&["close-all"])?;
        let history = self.control(&["history"])?;
        let history: Value = serde_json::from_str(&history).context("dunst's history")?;
        let at = |shown: &Value| shown.pointer("/timestamp/data").and_then(Value::as_i64);
        let all = history.pointer("/data/0").and_then(Value::as_array);
        let shown = all.and_then(|all| all.iter().max_by_key(|shown| at(shown))).context("no history")?;
        let part = |name: &str| shown.pointer(&format!("/{name}/data")).cloned().unwrap_or_default();
        let text =
            format!("{} {}", part("summary").as_str().unwrap_or(""), part("body").as_str().unwrap_or(""));
        // Microseconds since this machine started.
        let at = at(shown).context("no timestamp")? / 1_000;
        Ok(DesktopPopup { text, shown_at_ms: started_at_ms()? + at })
    }

    fn displayed(&self) -> Option<usize> {
        self.control(&["count", "displayed"]).ok()?.trim().parse().ok()
    }

    fn control(&self, arguments: &[&str]) -> anyhow::Result<String> {
        let mut command = rig::command("dunstctl");
        surroundings(command.args(arguments), &self.bus, &self.home);
        let done = rig::run(&mut command, START_LIMIT)?;
        if !done.status.success() {
            bail!("dunstctl {arguments:?}: {}", done.stderr.trim());
        }
        Ok(done.stdout)
    }
}

fn surroundings<'a>(command: &'a mut Command, bus: &SessionBus, home: &Path) -> &'a mut Command {
    command
        .env("DBUS_SESSION_BUS_ADDRESS", &bus.address)
        .env("HOME", home)
        .env("XDG_CONFIG_HOME", home)
        .env("XDG_DATA_HOME", home)
}

/// Starts it and waits for its first line.
fn started(command: &mut Command) -> anyhow::Result<(ProcessGroup, String)> {
    let mut group = ProcessGroup::spawn(command.stdout(Stdio::piped()).stderr(Stdio::null()))?;
    let stdout = group.child.stdout.take().context("no stdout")?;
    let mut line = String::new();
    BufReader::new(stdout).read_line(&mut line)?;
    ensure!(!line.trim().is_empty(), "{command:?} did not start");
    Ok((group, line.trim().to_owned()))
}

/// When this machine started, in milliseconds since 1970: what the daemon's clock counts from.
fn started_at_ms() -> anyhow::Result<i64> {
    let uptime = std::fs::read_to_string("/proc/uptime")?;
    let seconds: f64 = uptime.split_whitespace().next().unwrap_or_default().parse()?;
    let now = SystemTime::now().duration_since(UNIX_EPOCH)?.as_millis();
    Ok(i64::try_from(now)? - (seconds * 1_000.0) as i64)
}
