//! A disk that turned read-only: what is there can be read, and new work is refused before it costs.

use std::{thread, time::Duration};

use serde_json::Value;

use super::{READ_ONLY, READ_ONLY_GOAL};
use crate::{
    figure::Figure,
    foundation::{
        kill_sweep::{
            judge::creates,
            memory_folder,
            program::{ForegroundRun, ProgramInstallation, field, panicked},
        },
        power_cuts::image::MountedImage,
    },
    output,
    rig::{ChildProcessOutput, SimulatorProcess},
};

pub fn measure(simulator: &SimulatorProcess) -> anyhow::Result<Figure> {
    let mut checks = ReadOnlyChecks::default();
    check_read_only(simulator, LastWriterEnd::Ending, &mut checks)?;
    check_read_only(simulator, LastWriterEnd::Kill, &mut checks)?;
    checks.failed.iter().for_each(|line| output::progress(line));
    Ok(Figure::judged(
        READ_ONLY,
        checks.failed.is_empty(),
        format!("{} of {} checks", checks.made - checks.failed.len(), checks.made),
        READ_ONLY_GOAL,
    )
    .with_note("after a clean end, and after a kill that left an unmerged log"))
}

/// How the last process that could write ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum LastWriterEnd {
    Ending,
    Kill,
}

#[derive(Default)]
struct ReadOnlyChecks {
    made: usize,
    failed: Vec<String>,
}

impl ReadOnlyChecks {
    fn check(&mut self, what: &str, finished: &ChildProcessOutput, holds: bool) {
        self.made += 1;
        if !holds || panicked(finished) {
            let ChildProcessOutput { status, stdout, stderr, .. } = finished;
            self.failed.push(format!("{what}: {status}: {stdout}{stderr}"));
        }
    }
}

fn check_read_only(
    simulator: &SimulatorProcess,
    after: LastWriterEnd,
    checks: &mut ReadOnlyChecks,
) -> anyhow::Result<()> {
    let folder = memory_folder()?;
    let (home, mount) = (folder.path().join("home"), folder.path().join("disk"));
    std::fs::create_dir_all(&home)?;
    let disk = MountedImage::memory("size=64m", &mount)?;
    let program = ProgramInstallation::new(&simulator.base_url, &home, &mount.join("data"))?;
    let finished = program.run(&["research", "[[completed duration_ms=100]] done?", "--json"])?;
    let ended = field(&finished.json(), "task_id").to_owned();
    let mut known = 1;
    if after == LastWriterEnd::Kill {
        let mut running = ForegroundRun::start(&program, "[[completed duration_ms=5000]] under way?")?;
        thread::sleep(Duration::from_millis(200));
        running.group.end()?;
        known += 1;
    }
    disk.remount("ro")?;

    let listed = program.run(&["runs", "list", "--json"])?;
    let rows = listed.json().get("researches").and_then(Value::as_array).map_or(0, Vec::len);
    checks.check(&format!("{after:?}: list"), &listed, rows == known && listed.status.success());
    let shown = program.run(&["runs", "show", &ended, "--json"])?;
    let has_report = !field(&shown.json(), "report").is_empty();
    checks.check(&format!("{after:?}: show"), &shown, has_report && shown.status.success());

    let before = creates(simulator)?.len();
    let refused = program.run(&["research", "[[completed]] new?", "--json"])?;
    let text = format!("{}{}", refused.stdout, refused.stderr);
    let is_refusal = text.contains("STORE_READ_ONLY") && !refused.status.success();
    checks.check(&format!("{after:?}: research refuses"), &refused, is_refusal);
    let unpaid = creates(simulator)?.len() == before;
    checks.check(&format!("{after:?}: nothing is paid"), &refused, unpaid);
    let resumed = program.resume_all()?;
    let refuses = after == LastWriterEnd::Ending || resumed.stderr.contains("STORE_READ_ONLY");
    checks.check(&format!("{after:?}: resume ends at once"), &resumed, resumed.in_time && refuses);
    checks.check(&format!("{after:?}: resume does not pay"), &resumed, creates(simulator)?.len() == before);
    Ok(())
}
