//! Whole reports of our own writing through the real program: a false one is never called verified, whoever judges, and
//! a true one is, if the judge is right.

mod written_set;

use std::{collections::BTreeMap, path::Path};

use anyhow::Context as _;
use probity_types::agent::DEFAULT_AGENT;
use serde_json::{Value, json};

use self::written_set::WrittenReport;
use super::{
    judged_verify::JudgedInstallation,
    labelled_data,
    scripted_judge::{ScriptedJudge, ScriptedJudgeServer, SentenceLabels},
    test_bed::{CheckOutput, simulated_world},
};
use crate::{
    figure::{Figure, MeasurementSize},
    foundation::{kill_sweep::memory_folder, parallel_trials::run_in_parallel},
    named_kinds::named_kinds,
    rig::SimulatorProcess,
};

const SIDE_BY_SIDE: usize = 3;
/// A quick run takes every so many-th report: all kinds and languages in turn.
const QUICK_STEP: usize = 3;
const VERIFIED_MIN: f64 = 90.0;
const TOKENS_MAX: usize = 30_000;

named_kinds! {
    enum ReportJudge {
        Nobody = "no judge",
        Perfect = "a judge that is right",
        YesSayer = "a judge that says yes to everything",
        Noisy = "a judge that errs like published ones",
        /// The agent wrote the text, and a model of its name says yes to all of it.
        Author = "the model that wrote it",
    }
}

impl ReportJudge {
    fn script(self) -> Option<ScriptedJudge> {
        match self {
            Self::Nobody => None,
            Self::Perfect => Some(ScriptedJudge::Perfect),
            Self::YesSayer | Self::Author => Some(ScriptedJudge::YesSayer),
            Self::Noisy => Some(ScriptedJudge::Noisy),
        }
    }
}

/// What one judge made of all reports.
struct JudgedReports<'s> {
    judge: ReportJudge,
    verified: Vec<(&'s WrittenReport, CheckOutput)>,
    others: Vec<(&'s WrittenReport, CheckOutput)>,
    /// Tokens sent about all true reports in one, and the claims in it; of the judge that is right.
    tokens: Option<(usize, usize)>,
}

pub fn measure(size: MeasurementSize) -> anyhow::Result<Vec<Figure>> {
    let all = written_set::load()?;
    let reports: Vec<WrittenReport> = all.into_iter().step_by(size.pick(QUICK_STEP, 1)).collect();
    let pages: Vec<Value> = reports.iter().flat_map(WrittenReport::simulated_pages).collect();
    let given: BTreeMap<&str, Value> =
        reports.iter().map(|report| (report.id.as_str(), json!({ "text": report.markdown() }))).collect();
    let folder = memory_folder()?;
    let simulator = simulated_world(folder.path(), &pages, Some(&json!(given)))?;
    let mut told =
        run_in_parallel("judge", SIDE_BY_SIDE, ReportJudge::ALL, folder.path(), |judge, place| {
            judged(&simulator, *judge, &reports, place).with_context(|| judge.words().to_owned())
        })?;
    told.sort_by_key(|judged| judged.judge);
    save(&told)?;
    Ok(told.iter().flat_map(JudgedReports::figures).collect())
}

fn judged<'s>(
    simulator: &SimulatorProcess,
    judge: ReportJudge,
    reports: &'s [WrittenReport],
    place: &Path,
) -> anyhow::Result<JudgedReports<'s>> {
    let mut labels = SentenceLabels::default();
    reports.iter().for_each(|report| report.label(&mut labels));
    let server = judge.script().map(|script| ScriptedJudgeServer::start(script, labels)).transpose()?;
    let installation = JudgedInstallation::open(simulator, place, server.as_ref())?;
    let check = |report: &WrittenReport| match judge {
        ReportJudge::Author => {
            let question = format!("What is known of it? [[report {}]]", report.id);
            let judge = [("PROBITY_CHECKS__JUDGE_MODEL", DEFAULT_AGENT)];
            installation.run(&["research", &question, "--json"], &judge)
        }
        _ => installation.verify(&report.markdown()),
    };
    let (mut verified, mut others) = (Vec::new(), Vec::new());
    for report in reports {
        let told = check(report).with_context(|| report.id.clone())?;
        let list = if told.is_verified() { &mut verified } else { &mut others };
        list.push((report, told));
    }
    let tokens = match (judge, &server) {
        (ReportJudge::Perfect, Some(server)) => Some(tokens(server, simulator, reports, &place.join("one"))?),
        _ => None,
    };
    Ok(JudgedReports { judge, verified, others, tokens })
}

/// What the judge is sent about one long report, after its exam: all true reports in one, controls included.
fn tokens(
    server: &ScriptedJudgeServer,
    simulator: &SimulatorProcess,
    reports: &[WrittenReport],
    place: &Path,
) -> anyhow::Result<(usize, usize)> {
    let installation = JudgedInstallation::open(simulator, place, Some(server))?;
    let is_true = |report: &&WrittenReport| report.fault.is_none();
    let first = reports.iter().find(is_true).context("no true report")?;
    installation.verify(&first.markdown())?;
    server.take_input_tokens();
    let texts: Vec<String> = reports.iter().filter(is_true).map(WrittenReport::with_links).collect();
    let told = installation.verify(&texts.join("\n\n"))?;
    Ok((server.take_input_tokens(), told.ledger.claims.len()))
}

impl JudgedReports<'_> {
    fn figures(&self) -> Vec<Figure> {
        let count = |list: &[(&WrittenReport, CheckOutput)], is_false: bool| {
            list.iter().filter(|(report, _)| report.fault.is_some() == is_false).count()
        };
        let (called, right) = (count(&self.verified, true), count(&self.verified, false));
        let (wrong_all, right_all) = (called + count(&self.others, true), right + count(&self.others, false));
        let which: Vec<String> = self
            .verified
            .iter()
            .filter_map(|(report, _)| Some(format!("{} ({})", report.id, report.fault.as_deref()?)))
            .collect();
        let judge = self.judge.words();
        let name = format!("false reports called verified: {judge}");
        let measured = format!("{called} of {wrong_all}");
        let mut figures = vec![Figure::judged(&name, called == 0 && wrong_all > 0, measured, "0").with_note(
            format!("{} {right} of {right_all} true ones are", which.join(", ")).trim().to_owned(),
        )];
        if let Some((tokens, claims)) = self.tokens {
            let share = 100.0 * right as f64 / right_all.max(1) as f64;
            let name = format!("true reports called verified: {judge}");
            let measured = format!("{share:.0} % ({right} of {right_all})");
            figures.push(
                Figure::judged(&name, share >= VERIFIED_MIN, measured, "at least 90 %")
                    .with_note(self.why_not()),
            );
            let hundred = tokens * 100 / claims.max(1);
            let measured = format!("{hundred} ({tokens} for {claims} claims)");
            let reached = hundred <= TOKENS_MAX && tokens > 0;
            figures.push(
                Figure::judged("tokens sent to a judge per 100 claims", reached, measured, "at most 30,000")
                    .with_note("one long report, hidden controls included, the exam before it not; four letters a token"),
            );
        }
        figures
    }

    /// Why true reports are not called verified.
    fn why_not(&self) -> String {
        let of_report = |(report, told): &(&WrittenReport, CheckOutput)| {
            let failing = told.ledger.settled.iter().find(|settled| settled.verdict.name() != "supported")?;
            report.fault.is_none().then(|| format!("{}: {} ({})", report.id, failing.verdict, failing.reason))
        };
        self.others.iter().filter_map(of_report).collect::<Vec<_>>().join("; ")
    }
}

/// Every sentence of every report with its verdict, so that a figure can be traced.
fn save(told: &[JudgedReports<'_>]) -> anyhow::Result<()> {
    let mut lines = String::new();
    for judged in told {
        for (report, told) in judged.verified.iter().chain(&judged.others) {
            for (claim, settled) in told.ledger.claims.iter().zip(&told.ledger.settled) {
                let line = json!({
                    "judge": judged.judge.words(), "report": report.id, "fault": report.fault, "claim": claim.words,
                    "verified": told.is_verified(), "verdict": settled.verdict.to_string(), "reason": settled.reason,
                });
                lines.push_str(&format!("{line}\n"));
            }
        }
    }
    labelled_data::save("whole_reports", &lines)
}
