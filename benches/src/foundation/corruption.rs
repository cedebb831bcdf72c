//! Damages a stored database at random places and reads everything back: each answer must be what was
//! written, or an error. A wrong answer without an error is a silent one.

mod bare_sqlite;
mod store_contents;

use std::{
    fmt,
    fs::OpenOptions,
    os::unix::fs::FileExt,
    path::{Path, PathBuf},
};

use anyhow::Context;

use self::store_contents::{StoreAnswers, StoreContents};
use super::{
    kill_sweep::{memory_folder, program::ProgramInstallation},
    power_cuts::worker::{self, scramble},
};
use crate::{
    figure::{Figure, MeasurementSize},
    journals::copy_folder,
    output,
};

const SILENT: &str = "silent wrong answers over random corruptions";
const GOAL: &str = "0";
/// Researches in the damaged database; every seventh report is a file of its own.
const RESEARCHES: u64 = 100;
/// Every so many corruptions the answers of the program itself are compared too.
const PROGRAM_EVERY: usize = 5;

pub fn measure(size: MeasurementSize) -> anyhow::Result<Vec<Figure>> {
    let corruptions: usize = size.pick(40, 500);
    let folder = memory_folder()?;
    let whole = folder.path().join("whole");
    let unmerged = folder.path().join("unmerged");
    fill(&whole, &unmerged)?;
    let truth = StoreContents::read(&whole)?;
    let home = folder.path().join("home");
    std::fs::create_dir_all(&home)?;
    let mut told = CorruptionTally::default();
    for number in 0..corruptions {
        // Every other time the newest commits are still in the log, as after a kill.
        let original = if number.is_multiple_of(2) { &whole } else { &unmerged };
        let copy = folder.path().join("copy");
        let damage = FileDamage::choose(original, number as u64)?;
        copy_folder(original, &copy)?;
        damage.apply_to(&copy)?;
        told.silent_bare += usize::from(bare_sqlite::is_silently_wrong(&copy, &truth));
        std::fs::remove_dir_all(&copy)?;

        copy_folder(original, &copy)?;
        damage.apply_to(&copy)?;
        let mut answers = truth.compare(&copy, number as u64);
        if number % PROGRAM_EVERY == 0 {
            let program = ProgramInstallation::new("http://127.0.0.1:9", &home, &copy)?;
            answers.add(truth.compare_program(&program)?);
        }
        std::fs::remove_dir_all(&copy)?;
        told.add(&damage, answers);
        if number % 50 == 0 {
            output::progress(&format!("corruption {number} of {corruptions}"));
        }
    }
    told.silent.iter().for_each(|line| output::progress(line));
    Ok(vec![told.figure(corruptions)])
}

#[derive(Default)]
struct CorruptionTally {
    silent: Vec<String>,
    detected: usize,
    harmless: usize,
    answers: usize,
    silent_bare: usize,
}

impl CorruptionTally {
    fn add(&mut self, damage: &FileDamage, answers: StoreAnswers) {
        self.answers += answers.given;
        self.silent.extend(answers.wrong.iter().map(|line| format!("{damage}: {line}")));
        match (answers.wrong.is_empty(), answers.errors) {
            (false, _) => {}
            (true, 0) => self.harmless += 1,
            (true, _) => self.detected += 1,
        }
    }

    /// Without a control that is fooled, none would show that the damage reaches what is read.
    fn figure(&self, corruptions: usize) -> Figure {
        let Self { silent, detected, harmless, answers, silent_bare } = self;
        Figure::judged(
            SILENT,
            silent.is_empty() && *detected > 0 && *silent_bare > 0,
            format!("{} of {answers} answers, {corruptions} corruptions", silent.len()),
            GOAL,
        )
        .with_note(format!(
            "{detected} reported as errors, {harmless} changed nothing that is read; control: bare SQLite answers wrongly and silently after {silent_bare} of them"
        ))
    }
}

/// Fills a store with researches that have ended. `unmerged` is a copy made while it was still open.
fn fill(whole: &Path, unmerged: &Path) -> anyhow::Result<()> {
    const SEED: u64 = 4;
    let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build()?;
    let researches = worker::researches(worker::open(whole, SEED)?, SEED);
    let stop = tokio_util::sync::CancellationToken::new();
    runtime.block_on(async {
        let asking = async {
            for number in 0..RESEARCHES {
                let id = worker::start(&researches, SEED, number).await?;
                researches.wait(id, None).await?;
            }
            stop.cancel();
            anyhow::Ok(())
        };
        tokio::join!(researches.executor().run(stop.clone()), asking).1
    })?;
    copy_folder(whole, unmerged)?;
    drop(researches);
    Ok(())
}

/// What is done to which file.
struct FileDamage {
    file: PathBuf,
    at: u64,
    kind: DamageKind,
}

#[derive(Debug, Clone, Copy)]
enum DamageKind {
    /// Sixteen bytes become others.
    Flip(u64),
    /// One bit: text stays text, a digit becomes another digit.
    Bit(u8),
    /// A page of zeros, as a lost write leaves it.
    Zeros,
    /// The file ends here.
    Cut,
}

impl FileDamage {
    /// Half of the places are drawn over the bytes of the database and its log. Of the rest, half over the
    /// bytes of all files, and half over the files, so that small ones are hit at all.
    fn choose(original: &Path, number: u64) -> anyhow::Result<Self> {
        let draw = |salt: u64| scramble(scramble(number) ^ salt);
        let mut files = files(original)?;
        if number % 4 < 2 {
            files.retain(|(path, _)| path.parent() == Some(original) && !path.ends_with("probity.mark"));
        }
        let total: u64 = files.iter().map(|(_, length)| length).sum();
        let (file, length) = if number % 4 == 3 {
            let index = usize::try_from(draw(1) % files.len() as u64)?;
            files.get(index).cloned().context("no files")?
        } else {
            let mut place = draw(1) % total;
            let hit = files.into_iter().find(|(_, length)| match place.checked_sub(*length) {
                None => true,
                Some(rest) => {
                    place = rest;
                    false
                }
            });
            hit.context("no files")?
        };
        let kind = match draw(3) % 8 {
            0 => DamageKind::Zeros,
            1 => DamageKind::Cut,
            2..5 => DamageKind::Bit(1 << (draw(4) % 3)),
            _ => DamageKind::Flip(draw(4)),
        };
        Ok(Self { file: file.strip_prefix(original)?.to_owned(), at: draw(2) % length, kind })
    }

    fn apply_to(&self, copy: &Path) -> anyhow::Result<()> {
        let path = copy.join(&self.file);
        let file = OpenOptions::new().read(true).write(true).open(&path)?;
        let length = file.metadata()?.len();
        let at = self.at.min(length.saturating_sub(1));
        match self.kind {
            DamageKind::Cut => file.set_len(at)?,
            DamageKind::Zeros => {
                let room = usize::try_from((length - at).min(4_096))?;
                file.write_all_at(&vec![0; room], at)?;
            }
            DamageKind::Bit(bit) => {
                let mut byte = [0];
                file.read_exact_at(&mut byte, at)?;
                file.write_all_at(&byte.map(|byte| byte ^ bit), at)?;
            }
            DamageKind::Flip(salt) => {
                let room = usize::try_from((length - at).min(16))?;
                let mut bytes = vec![0; room];
                file.read_exact_at(&mut bytes, at)?;
                for (index, byte) in bytes.iter_mut().enumerate() {
                    // Never zero, so every byte becomes another.
                    *byte ^= (scramble(salt ^ index as u64) % 255 + 1) as u8;
                }
                file.write_all_at(&bytes, at)?;
            }
        }
        Ok(())
    }
}

impl fmt::Display for FileDamage {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "{:?} at byte {} of {}", self.kind, self.at, self.file.display())
    }
}

/// Every file below a folder that is not empty, with its length, in a fixed order. SQLite's shared index
/// is rebuilt by whoever opens the database first, so it is not there after a restart.
fn files(folder: &Path) -> anyhow::Result<Vec<(PathBuf, u64)>> {
    let mut found = Vec::new();
    for entry in std::fs::read_dir(folder)? {
        let path = entry?.path();
        if path.is_dir() {
            found.extend(files(&path)?);
        } else if !path.to_string_lossy().ends_with("-shm") {
            let length = path.metadata()?.len();
            found.extend((length > 0).then_some((path, length)));
        }
    }
    found.sort();
    Ok(found)
}
