//! The same planted sentences before other tools' checks that need no model.
//!
//! Their checks let a sentence pass or leave it to a model; ours refutes it, objects to it and leaves it to a model, or
//! leaves it without a word. Compared is what each can tell apart: the share of faulty sentences it does not let through,
//! less the share of true ones; for ours once by what it refutes, once by what it objects to, which is what theirs do.

use std::{
    collections::BTreeMap,
    io::{Seek as _, Write as _},
    process::Stdio,
};

use anyhow::{Context as _, ensure};
use serde::Deserialize;
use serde_json::json;

use super::{
    cases::PlantedCase,
    faults::SentenceFault,
    planted_faults::CountShare,
    planted_runs::{PlantedRunRoute, PlantedRuns},
    test_bed::JudgeSetup,
};
use crate::{figure::Figure, rig};

const NAME: &str = "planted faults told from true sentences, ours against other tools";
const OBJECTED: &str = "planted faults told from true sentences, our objections against other tools'";
const GOAL: &str = "ahead of each on every kind";

#[derive(Deserialize)]
struct PeerVerdict {
    peer: String,
    place: usize,
    supported: bool,
}

/// What the other tools said.
pub struct PeerReplies {
    /// By tool: the place of each claim, and whether it passes.
    pub verdicts: BTreeMap<String, Vec<(usize, bool)>>,
    /// Tools that could not be asked, and why.
    pub left_out: Vec<(String, String)>,
}

pub fn installed() -> bool {
    rig::repository().join(".tools/peers/installed").exists()
}

/// Puts claims with their pages before the other tools.
pub fn ask<'a>(claims: impl Iterator<Item = (&'a str, &'a str)>) -> anyhow::Result<PeerReplies> {
    let mut input = tempfile::tempfile()?;
    let lines: String =
        claims.map(|(claim, page)| format!("{}\n", json!({"claim": claim, "page": page}))).collect();
    input.write_all(lines.as_bytes())?;
    input.rewind()?;
    let mut command = rig::command(rig::repository().join(".tools/peers/bin/python"));
    command.arg(rig::repository().join("evals/peers/run.py")).stdin(Stdio::from(input));
    let told = command.output().context("running other tools")?;
    let (stdout, stderr) = (String::from_utf8_lossy(&told.stdout), String::from_utf8_lossy(&told.stderr));
    ensure!(told.status.success(), "{}", stderr.lines().last().unwrap_or("it said nothing"));
    let mut verdicts: BTreeMap<String, Vec<(usize, bool)>> = BTreeMap::new();
    for line in stdout.lines() {
        let said: PeerVerdict = serde_json::from_str(line).with_context(|| line.to_owned())?;
        verdicts.entry(said.peer).or_default().push((said.place, said.supported));
    }
    let left_out = stderr.lines().filter_map(|line| line.split_once(" left out: "));
    let left_out = left_out.map(|(peer, why)| (peer.to_owned(), why.to_owned())).collect();
    Ok(PeerReplies { verdicts, left_out })
}

pub fn figures(runs: &PlantedRuns) -> anyhow::Result<Vec<Figure>> {
    if !installed() {
        let why = "other tools are not installed; run evals/peers/install";
        return Ok(vec![Figure::skipped(NAME, GOAL, why)]);
    }
    let cases: Vec<&PlantedCase> = runs.cases.iter().filter(|case| !case.page.is_empty()).collect();
    let replies = ask(cases.iter().map(|case| (case.sentence.as_str(), case.page.as_str())))?;
    ensure!(!replies.verdicts.is_empty(), "no other tool said anything");
    let against_one = |(peer, said): (&String, &Vec<(usize, bool)>)| {
        let fault = |(place, passed): &(usize, bool)| Some((cases.get(*place)?.fault, *passed));
        let said: Vec<(SentenceFault, bool)> = said.iter().filter_map(fault).collect();
        [OurWord::Refutes, OurWord::Objects].map(|word| against(runs, peer, &said, word))
    };
    Ok(replies.verdicts.iter().flat_map(against_one).collect())
}

/// Kinds that a check of one sentence against one page can see at all.
fn is_compared(fault: SentenceFault) -> bool {
    !fault.is_clean() && !matches!(fault, SentenceFault::Copies | SentenceFault::PoisonedCopy)
}

/// What counts for ours as not let through.
#[derive(Clone, Copy)]
enum OurWord {
    /// A verdict against it.
    Refutes,
    /// A rule that speaks against it, which a judge would be shown.
    Objects,
}

impl OurWord {
    /// The share of these sentences that it stops, checked without a judge.
    fn stops(self, runs: &PlantedRuns, wanted: &dyn Fn(SentenceFault) -> bool) -> CountShare {
        let those = runs.fates.iter().filter(|(way, judge, fate)| {
            *way == PlantedRunRoute::Verify && *judge == JudgeSetup::Nobody && wanted(fate.fault)
        });
        CountShare::of(those.map(|(_, _, fate)| match self {
            Self::Refutes => fate.caught,
            Self::Objects => fate.objected,
        }))
    }
}

fn against(runs: &PlantedRuns, peer: &str, said: &[(SentenceFault, bool)], word: OurWord) -> Figure {
    let let_through = |wanted: &dyn Fn(SentenceFault) -> bool| {
        CountShare::of(said.iter().filter(|(fault, _)| wanted(*fault)).map(|(_, passed)| *passed))
    };
    let true_stopped = 100.0 - let_through(&SentenceFault::is_clean).percent();
    let our_alarms = word.stops(runs, &SentenceFault::is_clean).percent();
    let mut kinds = Vec::new();
    let mut behind = Vec::new();
    for fault in SentenceFault::ALL.iter().copied().filter(|fault| is_compared(*fault)) {
        let theirs = let_through(&|of| of == fault);
        if theirs.whole == 0 {
            continue;
        }
        let their_score = 100.0 - theirs.percent() - true_stopped;
        let stopped = word.stops(runs, &|of| of == fault).percent();
        let our_score = stopped - our_alarms;
        kinds.push(format!(
            "{} {our_score:.0} against {their_score:.0} (it lets {} pass)",
            fault.words(),
            theirs.summary()
        ));
        // Nobody can be ahead of one who tells all apart.
        let level = our_score >= their_score && stopped >= 100.0;
        if our_score <= their_score && !level {
            behind.push(fault.words());
        }
    }
    let measured = match behind.is_empty() {
        true => format!("ahead on all {} kinds", kinds.len()),
        false => format!("behind on {} of {} kinds: {}", behind.len(), kinds.len(), behind.join(", ")),
    };
    let (name, ours) = match word {
        OurWord::Refutes => (NAME, "ours calls"),
        OurWord::Objects => (OBJECTED, "ours objects to"),
    };
    let wrong = if matches!(word, OurWord::Refutes) { " wrong" } else { "" };
    Figure::judged(&format!("{name}: {peer}"), behind.is_empty(), measured, GOAL).with_note(format!(
        "points of 100: faulty sentences not let through less true ones not let through; of the true ones it leaves \
         {true_stopped:.0} % to a model, {ours} {our_alarms:.1} %{wrong}; {}",
        kinds.join("; ")
    ))
}
