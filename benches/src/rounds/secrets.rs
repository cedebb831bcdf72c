//! The key is nowhere: not on a pipe, not in a file, not in a command line, not in an environment that does not hand
//! it to the Gemini CLI, however a search in rounds ends and whichever engine answers.

mod canary;
mod stories;
mod watch;

use std::path::Path;

use self::{
    canary::CanaryKey,
    stories::{SecretsStory, SecretsTally},
};
use crate::{
    figure::{Figure, MeasurementSize},
    foundation::{kill_sweep::memory_folder, parallel_trials::run_in_parallel},
    output,
    rig::{self, SimulatorProcess},
    rounds::{real_cli, real_cli_cases, supervision::processes},
};

const NAME: &str = "sightings of the key over every way a search in rounds ends, both engines";
const GOAL: &str = "0";
/// Most of a story is waiting for the CLI; a process of it takes 250 MB.
const SIDE_BY_SIDE: usize = 6;

pub fn measure(size: MeasurementSize) -> anyhow::Result<Vec<Figure>> {
    let (real, fake) = (real_cli_cases::program(), rig::built("fake-cli")?);
    if real.is_none() {
        output::progress(real_cli::WHY_NOT);
    }
    let simulator = SimulatorProcess::start(&[])?;
    let folder = memory_folder()?;
    let canary = CanaryKey::new()?;
    let plan = stories::plan(size, real.as_deref(), &fake);
    let told =
        run_in_parallel("story", SIDE_BY_SIDE, &plan, folder.path(), |story: &SecretsStory<'_>, place| {
            let told = story.run(&canary, &simulator, place);
            told.map_err(|error| error.context(story.name()))
        })?;
    let mut all = SecretsTally::default();
    told.into_iter().for_each(|told| all.add(told));
    let control = control(&canary, &folder.path().join("control"))?;
    Ok(vec![figure(&all, plan.len(), &control, real.is_some())])
}

fn figure(all: &SecretsTally, stories: usize, control: &str, with_the_real_one: bool) -> Figure {
    all.sightings.iter().for_each(|line| output::progress(line));
    let measured = format!("{} in {stories} stories", all.sightings.len());
    let left_out = if with_the_real_one { "" } else { "; the real CLI was left out: it is not installed" };
    let note = format!(
        "{} kB of answers and log, {} looks at {} files, {} looks at processes. The key is in the environment of {} and \
         nowhere else: the keeper hands it on; none of Probity's other variables is there; {control}{left_out}",
        all.bytes / 1024,
        all.file_looks,
        all.files.len(),
        all.process_looks,
        all.holders.iter().map(String::as_str).collect::<Vec<_>>().join(" and "),
    );
    // A run in which nothing was looked at would find nothing.
    let looked = all.bytes > 0 && !all.files.is_empty() && all.process_looks > 0;
    Figure::judged(NAME, all.sightings.is_empty() && looked, measured, GOAL).with_note(note)
}

/// A key in a text, in other clothes, in a file, in a command line and in a foreign environment must be found.
fn control(canary: &CanaryKey, place: &Path) -> anyhow::Result<String> {
    std::fs::create_dir_all(place.join("deep/er"))?;
    std::fs::write(place.join("deep/er/left.json"), format!("{{\"key\":\"{}\"}}", canary.key()))?;
    let mut seen = canary.planted().iter().filter(|text| canary.is_in(text.as_bytes())).count();
    let mut told = SecretsTally::default();
    watch::search_files(place, canary, &mut told);
    seen += told.sightings.len();
    let mut sleeper = rig::command("sleep")
        .args(["60"])
        .env_clear()
        .env("HOME", place)
        .env("OTHER", canary.other())
        .spawn()?;
    let mut told = SecretsTally::default();
    let found = processes::within(processes::GONE_MAX, || {
        watch::search_processes(place, None, canary, &mut told);
        !told.sightings.is_empty()
    });
    sleeper.kill()?;
    sleeper.wait()?;
    let planted = canary.planted().len() + 2;
    seen += usize::from(found);
    anyhow::ensure!(seen == planted, "the check is blind: {seen} of {planted}");
    Ok(format!("control: {seen} of {planted} planted keys were found"))
}
