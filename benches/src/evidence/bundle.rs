//! The evidence bundle of a research of the real program: made twice, verified and replayed by the program in an empty
//! home with nobody left to ask, then damaged and forged in every way we know.

mod tampering;

use std::{
    fs,
    path::{Path, PathBuf},
    time::Duration,
};

use anyhow::{Context as _, ensure};
use probity_bundle::Bundle;
use serde_json::{Value, json};

use self::tampering::{BundleContents, TamperedBundle, damages, forgeries};
use crate::{
    figure::{Figure, MeasurementSize},
    foundation::kill_sweep::{installed, memory_folder, program::ProgramInstallation},
    output,
    rig::{self, ChildProcessOutput, SimulatorProcess},
};

const ELSEWHERE: &str = "a bundle is verified and replayed elsewhere, offline, byte for byte";
const REFUSED: &str = "damaged and forged bundles that are refused";
const SPEED: &str = "verifying a bundle, pages read again";
const QUESTION: &str = "How long is the harbour bridge of Norwick, when did it open and who built it?";
/// Far above what a command takes here; one that takes longer hangs.
const LIMIT: Duration = Duration::from_secs(60);

pub fn measure(size: MeasurementSize) -> anyhow::Result<Vec<Figure>> {
    let folder = memory_folder()?;
    let made = make(folder.path())?;
    // From here on nobody listens: whoever needs the network fails.
    let elsewhere = EmptyHomeProgram::open(&folder.path().join("elsewhere"))?;
    let (whole, took) = rig::timed(|| elsewhere.whole(&made));
    let bytes = fs::read(&made.file)?;
    let known = BundleContents::of(&bytes)?;
    let mut harms = damages(&bytes, size.pick(1, 12))?;
    harms.extend(forgeries(&known)?);
    let taken = elsewhere.taken(&harms, &made.key)?;
    output::progress(&format!("{} harms done, {} taken", harms.len(), taken.len()));
    Ok(vec![elsewhere_figure(&whole), refused_figure(&harms, &taken), speed_figure(took, bytes.len())])
}

fn elsewhere_figure(whole: &anyhow::Result<usize>) -> Figure {
    let goal = "every promise kept, the report equal byte for byte";
    match whole {
        Ok(kept) => Figure::judged(ELSEWHERE, true, format!("{kept} promises kept, the report equal"), goal),
        Err(error) => Figure::judged(ELSEWHERE, false, format!("{error:#}"), goal),
    }
}

fn refused_figure(harms: &[TamperedBundle], taken: &[String]) -> Figure {
    let measured = format!("{} of {}", harms.len() - taken.len(), harms.len());
    let figure = Figure::judged(REFUSED, taken.is_empty() && harms.len() > 20, measured, "100 %");
    match taken.is_empty() {
        true => figure.with_note("control: the whole bundle is taken by the same commands"),
        false => figure.with_note(format!("taken: {}", taken.join("; "))),
    }
}

fn speed_figure(took: Duration, bytes: usize) -> Figure {
    let measured = format!("{} ms for verify and replay of {} KiB", took.as_millis(), bytes / 1024);
    Figure::judged(SPEED, took < Duration::from_secs(5), measured, "less than 5 s").timing()
}

/// A bundle and the key that made it.
struct SignedBundle {
    file: PathBuf,
    key: String,
}

fn make(folder: &Path) -> anyhow::Result<SignedBundle> {
    let web = folder.join("web.json");
    fs::write(&web, pages().to_string())?;
    let simulator = SimulatorProcess::start(&["--web", &web.to_string_lossy()])?;
    let program = installed(&simulator, folder)?;
    let asked = run_simulated(
        &program,
        &simulator,
        &["research", "--rounds", "--engine", "web", QUESTION, "--json"],
    )?;
    ensure!(asked.status.success(), "the research fails: {}", asked.stderr);
    let (file, again) = (folder.join("a.probity"), folder.join("b.probity"));
    for target in [&file, &again] {
        let packed = program.run(&["bundle", "last", "--output", &target.to_string_lossy()])?;
        ensure!(packed.status.success(), "no bundle: {}", packed.stderr);
    }
    ensure!(fs::read(&file)? == fs::read(&again)?, "the same research gives two different bundles");
    let key = program.run(&["bundle", "key"])?.stdout.trim().to_owned();
    Ok(SignedBundle { file, key })
}

/// The settings of the web engine for a world that is simulated, with every claim checked.
fn run_simulated(
    program: &ProgramInstallation,
    simulator: &SimulatorProcess,
    arguments: &[&str],
) -> anyhow::Result<ChildProcessOutput> {
    let here = simulator.base_url.trim_start_matches("http://");
    let mut command = program.command(arguments);
    command
        .env("PROBITY_CHECKS__ENABLED", "true")
        .env("TAVILY_API_KEY", "tvly-simulated")
        .env("OPENAI_API_KEY", "sk-simulated")
        .env("PROBITY_SEARCH__PROVIDERS", "tavily,wikipedia")
        .env(
            "PROBITY_SEARCH__BASES",
            format!(
                "tavily=http://{here}/search-api/tavily,wikipedia=http://{here}/search-api/wikipedia/{{language}}"
            ),
        )
        .env("PROBITY_WEB__REACH", format!("*:80={here},{here}={here}"))
        .env("PROBITY_WEB__ARCHIVE", "false")
        .env("PROBITY_WEB__BROWSER", "off")
        .env("PROBITY_CHAT__KIND", "openai")
        .env("PROBITY_CHAT__BASE_URL", format!("http://{here}/v1"))
        .env("PROBITY_CHAT__MODEL", "gpt-5")
        .env("PROBITY_CHAT__STANDS_FOR", "openai");
    rig::run(&mut command, LIMIT)
}

/// The program in an empty home, without a key and without anybody to ask.
struct EmptyHomeProgram {
    home: PathBuf,
}

impl EmptyHomeProgram {
    fn open(home: &Path) -> anyhow::Result<Self> {
        fs::create_dir_all(home)?;
        Ok(Self { home: home.to_owned() })
    }

    fn run(&self, arguments: &[&str]) -> anyhow::Result<ChildProcessOutput> {
        let mut command = rig::command(rig::built("probity")?);
        command
            .args(arguments)
            .env_clear()
            .env("HOME", &self.home)
            .env("NO_COLOR", "1")
            .current_dir(&self.home);
        let ran = rig::run(&mut command, LIMIT)?;
        ensure!(ran.in_time && !ran.stderr.contains("panicked at"), "{arguments:?}: {}", ran.stderr);
        Ok(ran)
    }

    /// How many promises are kept; an error says what is wrong with a bundle that nobody touched.
    fn whole(&self, made: &SignedBundle) -> anyhow::Result<usize> {
        let file = made.file.to_string_lossy();
        let verified = self.run(&["bundle", "verify", &file, "--key", &made.key, "--json"])?;
        let document = verified.json();
        let findings = document.get("findings").and_then(Value::as_array).context("no findings")?;
        let kept = findings.iter().filter(|finding| finding.get("kept").is_some_and(|kept| kept == "yes"));
        let kept = kept.count();
        ensure!(
            verified.status.success() && kept == findings.len(),
            "{}{}",
            verified.stdout,
            verified.stderr
        );
        let target = self.home.join("report.json");
        let replayed = self.run(&["bundle", "replay", &file, "--output", &target.to_string_lossy()])?;
        ensure!(replayed.status.success(), "{}", replayed.stderr);
        let bytes = fs::read(&made.file)?;
        let stored = Bundle::read(&bytes)?.report().context("no report")?.to_vec();
        ensure!(fs::read(&target)? == stored, "the replayed report has other bytes");
        Ok(kept)
    }

    /// Names of the harms that the program does not notice.
    fn taken(&self, harms: &[TamperedBundle], key: &str) -> anyhow::Result<Vec<String>> {
        let file = self.home.join("harmed.probity");
        let mut taken = Vec::new();
        for harm in harms {
            fs::write(&file, &harm.bytes)?;
            let mut arguments = vec!["bundle", "verify", "harmed.probity"];
            if harm.pinned {
                arguments.extend(["--key", key]);
            }
            let ran = self.run(&arguments)?;
            let refused = ran.status.code() == Some(1) && ran.stderr.contains("BUNDLE_REFUSED");
            let replay = !harm.pinned && self.run(&["bundle", "replay", "harmed.probity"])?.status.success();
            if !refused || (replay && harm.breaks_replay) {
                taken.push(harm.name.clone());
            }
        }
        Ok(taken)
    }
}

/// Pages of sites that do not copy each other.
fn pages() -> Value {
    let subjects = ["ferries", "lamps", "gulls", "painters"];
    let page = |(place, subject): (usize, &&str)| {
        json!({
            "url": format!("http://{subject}-of-norwick.example/bridge"),
            "title": format!("The harbour bridge of Norwick and its {subject}"),
            "text": format!(
                "The harbour bridge of Norwick is {} metres long if one counts the {subject} as well.\n\n\
                 It did open in {}, and whoever built it thought of {subject} first; letters of number {place} say so.\n\n\
                 Old people in street {place} remember {subject} better than the bridge, which they find natural.",
                800 + place,
                1921 + place
            ),
            "delay_ms": 1,
        })
    };
    json!({"pages": subjects.iter().enumerate().map(page).collect::<Vec<_>>()})
}
