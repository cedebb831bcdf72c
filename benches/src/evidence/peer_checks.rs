//! The same planted sentences before other tools' checks that need no model.
//!
//! Their checks let a sentence pass or leave it to a model; ours refutes it or leaves it. Compared is what each can
//! tell apart: the share of faulty sentences it does not let through, less the share of true ones.

use std::{collections::BTreeMap, io::Write as _, process::Stdio};

use anyhow::{Context as _, ensure};
use serde::Deserialize;
use serde_json::json;

use super::{
    cases::PlantedCase,
    faults::SentenceFault,
    planted_faults::{CountShare, caught},
    planted_runs::{PlantedRunRoute, PlantedRuns},
    test_bed::JudgeSetup,
};
use crate::{figure::Figure, rig};

const NAME: &str = "planted faults told from true sentences, ours against other tools";
const GOAL: &str = "ahead of each on every kind";
const PYTHON: &str = ".tools/peers/bin/python";
const RUNNER: &str = "evals/peers/run.py";

#[derive(Deserialize)]
struct PeerVerdict {
    peer: String,
    place: usize,
    supported: bool,
}

pub fn figures(runs: &PlantedRuns) -> anyhow::Result<Vec<Figure>> {
    let python = rig::repository().join(PYTHON);
    if !python.exists() {
        return Ok(vec![Figure::skipped(
            NAME,
            GOAL,
            "other tools are not installed; run evals/peers/install",
        )]);
    }
    let cases: Vec<&PlantedCase> = runs.cases.iter().filter(|case| !case.page.is_empty()).collect();
    let said = ask(&python, &cases)?;
    let mut passed: BTreeMap<String, Vec<(SentenceFault, bool)>> = BTreeMap::new();
    for said in said {
        if let Some(case) = cases.get(said.place) {
            passed.entry(said.peer).or_default().push((case.fault, said.supported));
        }
    }
    ensure!(!passed.is_empty(), "no other tool said anything");
    Ok(passed.iter().map(|(peer, said)| against(runs, peer, said)).collect())
}

fn ask(python: &std::path::Path, cases: &[&PlantedCase]) -> anyhow::Result<Vec<PeerVerdict>> {
    let mut input = tempfile::tempfile()?;
    for case in cases {
        writeln!(input, "{}", json!({"claim": case.sentence, "page": case.page}))?;
    }
    std::io::Seek::rewind(&mut input)?;
    let mut command = rig::command(python);
    command.arg(rig::repository().join(RUNNER)).stdin(Stdio::from(input)).stderr(Stdio::null());
    let told = command.output().context("running other tools")?;
    let lines = String::from_utf8_lossy(&told.stdout).into_owned();
    lines.lines().map(|line| serde_json::from_str(line).with_context(|| line.to_owned())).collect()
}

/// Kinds that a check of one sentence against one page can see at all.
fn is_compared(fault: SentenceFault) -> bool {
    !fault.is_clean() && !matches!(fault, SentenceFault::Copies | SentenceFault::PoisonedCopy)
}

fn against(runs: &PlantedRuns, peer: &str, said: &[(SentenceFault, bool)]) -> Figure {
    let let_through = |wanted: &dyn Fn(SentenceFault) -> bool| {
        CountShare::of(said.iter().filter(|(fault, _)| wanted(*fault)).map(|(_, passed)| *passed))
    };
    let true_stopped = 100.0 - let_through(&SentenceFault::is_clean).percent();
    let clean = runs.fates.iter().filter(|(way, judge, fate)| {
        *way == PlantedRunRoute::Verify && *judge == JudgeSetup::Nobody && fate.fault.is_clean()
    });
    let our_alarms = CountShare::of(clean.map(|(_, _, fate)| fate.refuted)).percent();
    let mut kinds = Vec::new();
    let mut behind = Vec::new();
    for fault in SentenceFault::ALL.into_iter().filter(|fault| is_compared(*fault)) {
        let theirs = let_through(&|of| of == fault);
        if theirs.whole == 0 {
            continue;
        }
        let their_score = 100.0 - theirs.percent() - true_stopped;
        let our_score =
            caught(runs, PlantedRunRoute::Verify, JudgeSetup::Nobody, fault).percent() - our_alarms;
        kinds.push(format!(
            "{} {our_score:.0} against {their_score:.0} (it lets {} pass)",
            fault.words(),
            theirs.summary()
        ));
        // Nobody can be ahead of one who tells all apart.
        let level = our_score >= their_score
            && caught(runs, PlantedRunRoute::Verify, JudgeSetup::Nobody, fault).percent() >= 100.0;
        if our_score <= their_score && !level {
            behind.push(fault.words());
        }
    }
    let measured = match behind.is_empty() {
        true => format!("ahead on all {} kinds", kinds.len()),
        false => format!("behind on {} of {} kinds: {}", behind.len(), kinds.len(), behind.join(", ")),
    };
    Figure::judged(&format!("{NAME}: {peer}"), behind.is_empty(), measured, GOAL).with_note(format!(
        "points of 100: faulty sentences not let through less true ones not let through; of the true ones it leaves \
         {true_stopped:.0} % to a model, ours calls {our_alarms:.1} % wrong; {}",
        kinds.join("; ")
    ))
}
