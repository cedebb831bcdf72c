//! The evidence bundle of a research of the real program: made twice, verified and replayed by the program in an empty
//! home with nobody left to ask, then damaged and forged in every way we know.

use std::{
    collections::BTreeMap,
    fs,
    path::{Path, PathBuf},
    time::Duration,
};

use anyhow::{Context as _, ensure};
use probity_bundle::{
    Bundle, BundleParts, SigningKey, make_bundle,
    manifest::digest,
    tar::{self, TarEntry},
};
use probity_research::{Digest, Event, RunId, StoredEvent, ledger::Verdict, report::Report};
use serde_json::{Value, json};

use super::test_bed::{EvidenceTestBed, JudgeSetup, simulated_world};
use crate::{
    figure::{Figure, MeasurementSize},
    foundation::kill_sweep::memory_folder,
    output,
    rig::{self, ChildProcessOutput},
};

const ELSEWHERE: &str = "a bundle is verified and replayed elsewhere, offline, byte for byte";
const REFUSED: &str = "damaged and forged bundles that are refused";
const SPEED: &str = "verifying a bundle, pages read again";
const QUESTION: &str = "How long is the harbour bridge of Norwick, when did it open and who built it?";
/// The pages are served by this machine, which a bundle says of them and its reader has to accept.
const PRIVATE: &str = "--private-pages";
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
    let goal = "every promise kept, the report equal byte for byte";
    let (kept, measured) = match &whole {
        Ok(kept) => (true, format!("{kept} promises kept, the report equal")),
        Err(error) => (false, format!("{error:#}")),
    };
    let refused = format!("{} of {}", harms.len() - taken.len(), harms.len());
    let note = match taken.is_empty() {
        true => "control: the whole bundle is taken by the same commands".to_owned(),
        false => format!("taken: {}", taken.join("; ")),
    };
    let speed = format!("{} ms for verify and replay of {} KiB", took.as_millis(), bytes.len() / 1024);
    Ok(vec![
        Figure::judged(ELSEWHERE, kept, measured, goal),
        Figure::judged(REFUSED, taken.is_empty() && harms.len() > 20, refused, "100 %").with_note(note),
        Figure::judged(SPEED, took < Duration::from_secs(5), speed, "less than 5 s").timing(),
    ])
}

/// A bundle and the key that made it.
struct SignedBundle {
    file: PathBuf,
    key: String,
}

fn make(folder: &Path) -> anyhow::Result<SignedBundle> {
    let simulator = simulated_world(folder, &pages(), None)?;
    let stand = EvidenceTestBed::open(&simulator, folder, JudgeSetup::Simulated)?;
    stand.research(QUESTION, &["--rounds", "--engine", "web"])?;
    let (file, again) = (folder.join("a.probity"), folder.join("b.probity"));
    for target in [&file, &again] {
        let packed =
            stand.program.run(&["bundle", "last", PRIVATE, "--output", &target.to_string_lossy()])?;
        ensure!(packed.status.success(), "no bundle: {}", packed.stderr);
    }
    ensure!(fs::read(&file)? == fs::read(&again)?, "the same research gives two different bundles");
    let key = stand.program.run(&["bundle", "key"])?.stdout.trim().to_owned();
    Ok(SignedBundle { file, key })
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
        let verified = self.run(&["bundle", "verify", &file, PRIVATE, "--key", &made.key, "--json"])?;
        let document = verified.json();
        let findings = document.get("findings").and_then(Value::as_array).context("no findings")?;
        let count = |word: &str| {
            findings.iter().filter(|finding| finding.get("kept").is_some_and(|kept| kept == word)).count()
        };
        // Of where pages of a made web came from nothing is promised: the flag accepts that.
        let (kept, unpromised) = (count("yes"), count("nothing"));
        ensure!(
            verified.status.success() && unpromised <= 1 && kept + unpromised == findings.len(),
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
            let mut arguments = vec!["bundle", "verify", "harmed.probity", PRIVATE];
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
fn pages() -> Vec<Value> {
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
    subjects.iter().enumerate().map(page).collect()
}

/// A harmed bundle, and how it is looked at.
struct TamperedBundle {
    name: String,
    bytes: Vec<u8>,
    /// The right key is named.
    pinned: bool,
    /// A replay has to notice it too.
    breaks_replay: bool,
}

/// The contents of a bundle, to be packed again.
struct BundleContents {
    id: RunId,
    program: String,
    journal: Vec<StoredEvent>,
    blobs: BTreeMap<Digest, Vec<u8>>,
}

impl BundleContents {
    fn of(bytes: &[u8]) -> anyhow::Result<Self> {
        let bundle = Bundle::read(bytes)?;
        Ok(Self {
            id: bundle.manifest.research,
            program: bundle.manifest.program.clone(),
            blobs: bundle.blobs.iter().map(|(digest, bytes)| (*digest, bytes.to_vec())).collect(),
            journal: bundle.journal,
        })
    }

    fn packed(&self, journal: &[StoredEvent], blobs: &BTreeMap<Digest, Vec<u8>>) -> anyhow::Result<Vec<u8>> {
        let key = SigningKey::from_pkcs8(&SigningKey::generate()?)?;
        let prompts = BTreeMap::new();
        let parts =
            BundleParts { research: self.id, journal, blobs, prompts: &prompts, program: &self.program };
        Ok(make_bundle(&parts, &key)?)
    }

    /// The final report exchanged for an edited one, wherever it is named.
    fn with_report(&self, edit: impl FnOnce(&mut Report)) -> anyhow::Result<Vec<u8>> {
        let (mut journal, mut blobs) = (self.journal.clone(), self.blobs.clone());
        let ended = journal.iter_mut().rev().find_map(|recorded| match &mut recorded.event {
            Event::Ended { report, .. } => report.as_mut(),
            _ => None,
        });
        let ended = ended.context("the research has no report")?;
        let mut report = Report::decode(&blobs.remove(ended).context("the report is missing")?)?;
        edit(&mut report);
        let bytes = report.encode();
        *ended = digest(&bytes);
        blobs.insert(*ended, bytes);
        self.packed(&journal, &blobs)
    }
}

/// One bit, or several spread evenly, in each part: its content, its header and its padding.
fn damages(bytes: &[u8], flips_each: usize) -> anyhow::Result<Vec<TamperedBundle>> {
    let mut harms = Vec::new();
    let mut add = |name: String, bytes: Vec<u8>| {
        harms.push(TamperedBundle { name, bytes, pinned: false, breaks_replay: true });
    };
    let flipped = |place: usize| {
        let mut bytes = bytes.to_vec();
        if let Some(byte) = bytes.get_mut(place) {
            *byte ^= 1 << (place % 8);
        }
        bytes
    };
    for entry in tar::read(bytes)? {
        let start = entry.bytes.as_ptr().addr() - bytes.as_ptr().addr();
        for number in 0..flips_each {
            let place = entry.bytes.len() * (2 * number + 1) / (2 * flips_each);
            add(format!("a bit of {} at {place}", entry.name), flipped(start + place));
        }
        add(format!("a bit in the header of {}", entry.name), flipped(start - 300));
    }
    add("a bit behind the end".to_owned(), flipped(bytes.len() - 1));
    add("cut in half".to_owned(), bytes.get(..bytes.len() / 2).unwrap_or_default().to_vec());
    add("nothing left".to_owned(), Vec::new());
    add("two blobs swapped".to_owned(), swapped(bytes)?);
    Ok(harms)
}

fn swapped(bytes: &[u8]) -> anyhow::Result<Vec<u8>> {
    let mut entries: Vec<TarEntry<'_>> = tar::read(bytes)?;
    let blobs: Vec<usize> = (0..entries.len())
        .filter(|place| entries.get(*place).is_some_and(|entry| entry.name.starts_with("blobs/")))
        .take(2)
        .collect();
    let [first, second] = blobs.as_slice() else { anyhow::bail!("fewer than two blobs") };
    let contents = |place: &usize| entries.get(*place).map(|entry| entry.bytes).unwrap_or_default();
    let (one, two) = (contents(first), contents(second));
    for (place, bytes) in [(first, two), (second, one)] {
        entries.get_mut(*place).context("no such blob")?.bytes = bytes;
    }
    Ok(tar::write(&entries)?)
}

/// Signed again with another key: refused for its contents, or for its key where the right one is named.
fn forgeries(known: &BundleContents) -> anyhow::Result<Vec<TamperedBundle>> {
    let verdict = known.with_report(|report| {
        if let Some(settled) = report.ledger.as_mut().and_then(|ledger| ledger.settled.first_mut()) {
            settled.verdict = Verdict::Contradicted;
        }
    })?;
    let span = known.with_report(|report| {
        let checks = report.ledger.iter_mut().flat_map(|ledger| &mut ledger.checks);
        for (start, end) in checks.filter_map(|check| check.span.as_mut()).take(1) {
            *start += 1;
            *end += 1;
        }
    })?;
    let quotation = known.with_report(|report| {
        let notes = report.web.iter_mut().flat_map(|web| &mut web.notes);
        for quote in notes.flat_map(|note| &mut note.quotes).take(1) {
            quote.start += 1;
        }
    })?;
    let text = known.with_report(|report| {
        let figure = report.text.chars().find(char::is_ascii_digit).unwrap_or(' ');
        let other = if figure == '7' { "3" } else { "7" };
        report.text = report.text.replacen(figure, other, 1);
    })?;
    let mut fewer = known.blobs.clone();
    fewer.pop_first();
    let mut more = known.blobs.clone();
    more.insert(digest(b"smuggled"), b"smuggled".to_vec());
    let shorter = known.journal.split_last().map(|(_, rest)| rest).unwrap_or_default();
    let whole = known.packed(&known.journal, &known.blobs)?;
    let forged = |name: &str, bytes: Vec<u8>, breaks_replay: bool| TamperedBundle {
        name: format!("{name}, signed by another key"),
        bytes,
        pinned: false,
        breaks_replay,
    };
    Ok(vec![
        forged("an edited verdict", verdict, true),
        forged("an edited place of a check", span, true),
        forged("an edited place of a quotation", quotation, true),
        forged("an edited sentence", text, true),
        forged("a blob left out", known.packed(&known.journal, &fewer)?, false),
        forged("a blob smuggled in", known.packed(&known.journal, &more)?, false),
        forged("the end cut off", known.packed(shorter, &known.blobs)?, true),
        TamperedBundle {
            name: "unchanged, signed by another key while the right one is named".to_owned(),
            bytes: whole,
            pinned: true,
            breaks_replay: false,
        },
    ])
}
