//! Which programs were started below the keeper: strace writes down every `execve`, however short its life.

use std::{
    collections::BTreeSet,
    ffi::OsString,
    fs,
    path::{Path, PathBuf},
};

use crate::rig;

/// The keeper's command, watched where strace is installed.
pub struct TracedSupervisor {
    pub keeper: Vec<OsString>,
    written: Option<PathBuf>,
}

pub fn keeper(place: &Path) -> anyhow::Result<TracedSupervisor> {
    let program = rig::built("probity")?;
    let plain: Vec<OsString> = vec![program.into(), "keep".into()];
    if !rig::has_program("strace") {
        return Ok(TracedSupervisor { keeper: plain, written: None });
    }
    let written = place.join("started.trace");
    let strace = along_path("strace").unwrap_or_else(|| PathBuf::from("/usr/bin/strace"));
    let mut keeper: Vec<OsString> = vec![strace.into()];
    keeper.extend(
        ["-f", "-qq", "-A", "-e", "trace=execve", "-e", "signal=none", "-s", "200", "-o"].map(OsString::from),
    );
    keeper.push(written.clone().into());
    keeper.push("--".into());
    keeper.extend(plain);
    Ok(TracedSupervisor { keeper, written: Some(written) })
}

impl TracedSupervisor {
    pub fn is_watching(&self) -> bool {
        self.written.is_some()
    }

    /// The programs that were started so far, each once.
    pub fn started(&self) -> BTreeSet<String> {
        let text = self.written.as_ref().and_then(|written| fs::read(written).ok()).unwrap_or_default();
        programs_in(&String::from_utf8_lossy(&text))
    }
}

/// `123 execve("/usr/bin/node", […], …) = 0`; those that were not found do not count.
fn programs_in(text: &str) -> BTreeSet<String> {
    let started = text.lines().filter(|line| line.trim_end().ends_with("= 0") || line.contains("unfinished"));
    let program = |line: &str| {
        let (_, rest) = line.split_once("execve(\"")?;
        rest.split_once('"').map(|(program, _)| program.to_owned())
    };
    started.filter_map(program).collect()
}

fn along_path(name: &str) -> Option<PathBuf> {
    let folders = ["/usr/bin", "/usr/local/bin", "/bin"];
    folders.iter().map(|folder| Path::new(folder).join(name)).find(|path| path.is_file())
}
