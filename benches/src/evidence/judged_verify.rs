//! `probity verify` before a scripted judge or none, and what a whole sentence got: the strictest of its claims decides.

use std::path::{Path, PathBuf};

use probity_research::ledger::{CheckAuthor, Ledger, Opinion, Verdict};
use serde_json::Value;

use super::{
    scripted_judge::ScriptedJudgeServer,
    test_bed::{CheckOutput, EvidenceTestBed, JudgeSetup, checked},
    verdicts::{is_of, letters},
};
use crate::rig::SimulatorProcess;

/// A claim that is at least this much of a sentence is that sentence's.
const SAME_PERCENT: usize = 60;

/// One person's installation with one judge. An exam that the judge sat counts for all that follows.
pub struct JudgedInstallation<'a> {
    stand: EvidenceTestBed<'a>,
    judge: Option<&'a ScriptedJudgeServer>,
    folder: PathBuf,
}

impl<'a> JudgedInstallation<'a> {
    pub fn open(
        simulator: &'a SimulatorProcess,
        folder: &Path,
        judge: Option<&'a ScriptedJudgeServer>,
    ) -> anyhow::Result<Self> {
        let setup = if judge.is_some() { JudgeSetup::Simulated } else { JudgeSetup::Nobody };
        let stand = EvidenceTestBed::open(simulator, folder, setup)?;
        Ok(Self { stand, judge, folder: folder.to_owned() })
    }

    pub fn verify(&self, text: &str) -> anyhow::Result<CheckOutput> {
        let file = self.folder.join("report.md");
        std::fs::write(&file, text)?;
        self.run(&["verify", &file.to_string_lossy(), "--json"], &[])
    }

    pub fn run(&self, arguments: &[&str], settings: &[(&str, &str)]) -> anyhow::Result<CheckOutput> {
        let mut command = self.stand.command(arguments);
        if let Some(judge) = self.judge {
            judge.appoint(&mut command);
        }
        command.envs(settings.iter().copied());
        checked(&self.stand.run(&mut command)?)
    }
}

impl CheckOutput {
    /// The document or its ledger calls the text verified.
    pub fn is_verified(&self) -> bool {
        self.document.get("verified").and_then(Value::as_bool) == Some(true)
            || self.ledger.verification.as_ref().is_some_and(|it| it.verified)
    }
}

/// What became of a sentence, strictest last.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum SentenceFate {
    /// Supported or quoted.
    Passed,
    Open,
    /// Partly or qualified.
    Doubted,
    /// Contradicted or not in source.
    Refuted,
}

#[derive(Debug, Clone)]
pub struct SentenceFinding {
    pub fate: SentenceFate,
    /// Some rule speaks against it.
    pub has_witness: bool,
    /// The deciding claim's verdict with its reason.
    pub told: String,
}

/// None if no claim is of this sentence.
pub fn sentence_finding(ledger: &Ledger, sentence: &str) -> Option<SentenceFinding> {
    let wanted = letters(sentence);
    let claims = || ledger.claims.iter().zip(&ledger.settled);
    let same = claims().any(|(claim, _)| letters(&claim.words) == wanted);
    let is_its = |words: &str| match same {
        true => letters(words) == wanted,
        false => is_of(words, sentence, SAME_PERCENT),
    };
    let its = || claims().filter(|(claim, _)| is_its(&claim.words));
    let (_, strictest) = its().max_by_key(|(_, settled)| fate(&settled.verdict))?;
    Some(SentenceFinding {
        fate: fate(&strictest.verdict),
        has_witness: its().any(|(claim, _)| ledger.checks_of(claim.id).any(speaks_against)),
        told: format!("{} ({})", strictest.verdict, strictest.reason),
    })
}

fn fate(verdict: &Verdict) -> SentenceFate {
    match verdict {
        Verdict::Supported | Verdict::Quoted | Verdict::Follows => SentenceFate::Passed,
        Verdict::Partly | Verdict::Qualified => SentenceFate::Doubted,
        Verdict::Contradicted | Verdict::NotInSource | Verdict::DoesNotFollow => SentenceFate::Refuted,
        Verdict::NotChecked { .. } | Verdict::CheckFailed { .. } => SentenceFate::Open,
    }
}

/// A rule's objection, whether it decides or only doubts.
pub fn speaks_against(check: &probity_research::ledger::Check) -> bool {
    let against = match check.opinion {
        Opinion::Agrees | Opinion::Quoted | Opinion::Supports | Opinion::Abstains => false,
        Opinion::Partly | Opinion::Qualifies | Opinion::Contradicts | Opinion::Doubts | Opinion::Absent => {
            true
        }
    };
    against && matches!(check.by, CheckAuthor::Rules { .. })
}
