//! Claims worded as an analyst would, in up to twelve languages, through the real program with four judges: what is true must
//! not be called wrong, and what is wrong must not pass.

use std::{collections::BTreeMap, path::Path};

use anyhow::{Context as _, ensure};
use serde::Deserialize;
use serde_json::{Value, json};

use super::{
    judged_verify::{JudgedInstallation, SentenceFate, SentenceFinding, sentence_finding},
    labelled_data as data,
    scripted_judge::{ScriptedJudge, ScriptedJudgeServer, SentenceLabels, TruthLabel},
    test_bed::{CheckOutput, simulated_world},
};
use crate::{
    figure::{Figure, MeasurementSize},
    foundation::kill_sweep::memory_folder,
    rig::{self, SimulatorProcess},
};

const NAME: &str = "free wording";
/// Most that may go wrong, in percent: each is a row.
const TRUE_CALLED_WRONG: f64 = 2.0;
const TRUE_LOST: f64 = 3.0;
const WITHOUT_WITNESS: f64 = 30.0;
/// An aim of our own choosing: a reader who finds every third true sentence doubted stops reading the doubts.
const TRUE_WITH_WITNESS: f64 = 30.0;
const NOISY_PASSED: f64 = 5.0;
const FOREIGN_LOST: f64 = 10.0;
/// Sets that are ours to ship; the first of them is short enough for every run.
const OWN_FOLDER: &str = "benches/evidence-sets/free-wording";
const OWN_SETS: [&str; 2] = ["third", "second"];
/// Claims that must be found in the report for its figures to mean anything, in percent.
const MATCHED_MIN: f64 = 95.0;

#[derive(Debug, Clone, Deserialize)]
struct FreeWordingCase {
    key: String,
    #[serde(rename = "lang")]
    language: String,
    #[serde(rename = "cat")]
    kind: String,
    gold: String,
    claim: String,
}

#[derive(Debug, Deserialize)]
struct FreeWordingPage {
    #[serde(rename = "type")]
    content_type: String,
    body: String,
}

/// The claims, with pages by host and path.
struct FreeWordingSet {
    cases: Vec<FreeWordingCase>,
    pages: BTreeMap<String, BTreeMap<String, FreeWordingPage>>,
}

type JudgedCase<'s> = (&'s FreeWordingCase, SentenceFinding);

pub fn measure(size: MeasurementSize) -> anyhow::Result<Vec<Figure>> {
    let folder = data::folder().map(|folder| folder.join("free-wording")).filter(|folder| folder.is_dir());
    let mut figures = match folder {
        Some(folder) => {
            let foreign = FreeWordingSet { cases: foreign_cases(&folder)?, pages: BTreeMap::new() };
            measure_set(NAME, &FreeWordingSet::load(&folder)?, Some(&foreign))?
        }
        None => data::absent(NAME, "see docs/benchmark.md")?,
    };
    // Written without sight of the rules and of the other sets, and read by us since.
    for which in size.pick(&OWN_SETS[..1], &OWN_SETS[..]) {
        let set = FreeWordingSet::load(&rig::repository().join(OWN_FOLDER).join(which))?;
        figures.extend(measure_set(&format!("{NAME}, {which} set"), &set, None)?);
    }
    Ok(figures)
}

/// One set before every judge, and a second one in another language than its pages.
fn measure_set(
    title: &str,
    set: &FreeWordingSet,
    foreign: Option<&FreeWordingSet>,
) -> anyhow::Result<Vec<Figure>> {
    let none_foreign = FreeWordingSet { cases: Vec::new(), pages: BTreeMap::new() };
    let is_own = foreign.is_none();
    let foreign = foreign.unwrap_or(&none_foreign);
    let place = memory_folder()?;
    let simulator = simulated_world(place.path(), &set.simulated_pages(), None)?;
    let run = |judge: Option<ScriptedJudge>| judged(&simulator, place.path(), judge, set, foreign);
    let (none, foreign_none) = run(None)?;
    let (perfect, foreign_perfect) = run(Some(ScriptedJudge::Perfect))?;
    let (yes, _) = run(Some(ScriptedJudge::YesSayer))?;
    let (noisy, _) = run(Some(ScriptedJudge::Noisy))?;
    let mut lines = String::new();
    for (judge, told) in [("none", &none), ("perfect", &perfect), ("yes", &yes), ("noisy", &noisy)] {
        for (case, finding) in told {
            let line = json!({
                "judge": judge, "language": case.language, "kind": case.kind, "gold": case.gold, "claim": case.claim,
                "fate": format!("{:?}", finding.fate), "witness": finding.has_witness, "told": finding.told,
            });
            lines.push_str(&format!("{line}\n"));
        }
    }
    data::save(&title.replace([' ', ','], "_"), &lines)?;
    let is_true = |case: &FreeWordingCase| case.label() == TruthLabel::True;
    let refuted = |one: &JudgedCase<'_>| is_true(one.0) && one.1.fate == SentenceFate::Refuted;
    let lost = |one: &JudgedCase<'_>| is_true(one.0) && one.1.fate != SentenceFate::Passed;
    let passed = |one: &JudgedCase<'_>| !is_true(one.0) && one.1.fate == SentenceFate::Passed;
    let unseen = |one: &JudgedCase<'_>| !is_true(one.0) && !one.1.has_witness;
    let doubted = |one: &JudgedCase<'_>| is_true(one.0) && one.1.has_witness;
    let pairs = foreign_none.iter().zip(&foreign_perfect);
    let foreign_wrong: Vec<&JudgedCase<'_>> =
        pairs.filter(|(none, perfect)| refuted(none) || lost(perfect)).map(|(_, perfect)| perfect).collect();
    // What the rules alone see of sets that nobody had read is an aim: the judge and its exam decide.
    let witnesses = |figure: Figure| if is_own { figure.aim() } else { figure };
    let mut rows = vec![
        row(
            title,
            "true claims called contradicted or not in source, no judge",
            &none,
            is_true,
            refuted,
            TRUE_CALLED_WRONG,
        ),
        row(
            title,
            "true claims not supported or quoted, a judge that is right",
            &perfect,
            is_true,
            lost,
            TRUE_LOST,
        ),
        row(
            title,
            "wrong claims passed, a judge that says yes to everything",
            &yes,
            |case| !is_true(case),
            passed,
            0.0,
        ),
        witnesses(row(
            title,
            "wrong claims that no rule speaks against",
            &yes,
            |case| !is_true(case),
            unseen,
            WITHOUT_WITNESS,
        )),
        witnesses(row(
            title,
            "true claims with a witness against them, no judge",
            &none,
            is_true,
            doubted,
            TRUE_WITH_WITNESS,
        )),
        row(
            title,
            "wrong claims passed, a judge that errs like published ones",
            &noisy,
            |case| !is_true(case),
            passed,
            NOISY_PASSED,
        )
        .with_note("18 % of true claims refused, 24 % of wrong ones passed, 8 % misquoted"),
    ];
    if is_own {
        return Ok(rows);
    }
    rows.push(share(
        title,
        "true claims in another language than the page, called wrong or lost",
        &foreign_wrong,
        foreign.cases.len(),
        FOREIGN_LOST,
    ));
    Ok(rows)
}

/// Both reports before one judge, claim by claim.
fn judged<'s>(
    simulator: &SimulatorProcess,
    folder: &Path,
    judge: Option<ScriptedJudge>,
    set: &'s FreeWordingSet,
    foreign: &'s FreeWordingSet,
) -> anyhow::Result<(Vec<JudgedCase<'s>>, Vec<JudgedCase<'s>>)> {
    let name = judge.map_or_else(|| "no-judge".to_owned(), |judge| format!("{judge:?}"));
    let server = judge.map(|judge| ScriptedJudgeServer::start(judge, set.labels(foreign))).transpose()?;
    let installation = JudgedInstallation::open(simulator, &folder.join(&name), server.as_ref())?;
    let check = |set: &'s FreeWordingSet| {
        if set.cases.is_empty() {
            return Ok(Vec::new());
        }
        let told = installation.verify(&set.report()).with_context(|| name.clone())?;
        set.findings(&told)
    };
    Ok((check(set)?, check(foreign)?))
}

fn row(
    title: &str,
    name: &str,
    told: &[JudgedCase<'_>],
    is_counted: impl Fn(&FreeWordingCase) -> bool,
    is_wrong: impl Fn(&JudgedCase<'_>) -> bool,
    most: f64,
) -> Figure {
    let all = told.iter().filter(|(case, _)| is_counted(case)).count();
    let wrong: Vec<&JudgedCase<'_>> = told.iter().filter(|one| is_wrong(one)).collect();
    share(title, name, &wrong, all, most)
}

/// The kinds of what went wrong are told beside it.
fn share(title: &str, name: &str, wrong: &[&JudgedCase<'_>], all: usize, most: f64) -> Figure {
    let percent = 100.0 * wrong.len() as f64 / all.max(1) as f64;
    let mut kinds: BTreeMap<&str, usize> = BTreeMap::new();
    wrong.iter().for_each(|(case, _)| *kinds.entry(&case.kind).or_default() += 1);
    let kinds: Vec<String> = kinds.iter().map(|(kind, count)| format!("{kind} {count}")).collect();
    let measured = format!("{percent:.1} % ({} of {all})", wrong.len());
    let goal = if most > 0.0 { format!("at most {most:.0} %") } else { "0".to_owned() };
    let name = format!("{title}: {name}");
    Figure::judged(&name, all > 0 && percent <= most, measured, &goal).with_note(kinds.join(", "))
}

impl FreeWordingCase {
    fn label(&self) -> TruthLabel {
        match self.gold.as_str() {
            "T" => TruthLabel::True,
            "N" => TruthLabel::Absent,
            "W" => TruthLabel::Overstated,
            _ => TruthLabel::False,
        }
    }

    fn host(&self) -> String {
        format!("{}.test-pages.example", self.key)
    }
}

impl FreeWordingSet {
    fn load(folder: &Path) -> anyhow::Result<Self> {
        let read = |name: &str| {
            let path = folder.join(name);
            std::fs::read_to_string(&path).with_context(|| format!("reading {}", path.display()))
        };
        Ok(Self {
            cases: serde_json::from_str(&read("cases.json")?).context("reading the claims")?,
            pages: serde_json::from_str(&read("pages.json")?).context("reading the pages")?,
        })
    }

    fn simulated_pages(&self) -> Vec<Value> {
        let of_host = |(host, pages): (&String, &BTreeMap<String, FreeWordingPage>)| -> Vec<Value> {
            let page = |(path, page): (&String, &FreeWordingPage)| json!({"url": format!("http://{host}{path}"), "body": page.body, "content_type": page.content_type});
            pages.iter().map(page).collect()
        };
        self.pages.iter().flat_map(of_host).collect()
    }

    /// One paragraph per claim, in a section per page.
    fn report(&self) -> String {
        let mut report = String::from("# Collected findings\n");
        let mut section = "";
        for case in &self.cases {
            if case.key != section {
                section = &case.key;
                report.push_str(&format!("\n## Part {section}\n"));
            }
            report.push_str(&format!("\n{} [source](http://{}/page)\n", case.claim, case.host()));
        }
        report
    }

    fn labels(&self, foreign: &Self) -> SentenceLabels {
        let mut labels = SentenceLabels::default();
        for case in self.cases.iter().chain(&foreign.cases) {
            let pages = self.pages.get(&case.host()).into_iter().flat_map(BTreeMap::values);
            let text: String = pages.map(|page| page.body.as_str()).collect();
            labels.add(&case.claim, case.label(), &text);
        }
        labels
    }

    fn findings(&self, told: &CheckOutput) -> anyhow::Result<Vec<JudgedCase<'_>>> {
        let finding = |case: &FreeWordingCase| sentence_finding(&told.ledger, &case.claim);
        let found: Vec<JudgedCase<'_>> =
            self.cases.iter().filter_map(|case| Some((case, finding(case)?))).collect();
        let matched = 100.0 * found.len() as f64 / self.cases.len().max(1) as f64;
        ensure!(matched >= MATCHED_MIN, "only {matched:.0} % of the claims are found in the ledger");
        Ok(found)
    }
}

/// True claims in another language than their page; each paragraph is one.
fn foreign_cases(folder: &Path) -> anyhow::Result<Vec<FreeWordingCase>> {
    let text = std::fs::read_to_string(folder.join("xl.md")).context("reading xl.md")?;
    let case = |line: &str| {
        let (claim, address) = line.split_once(" [source](http://")?;
        let key = address.split_once('.')?.0.to_owned();
        let [language, kind, gold] = ["other", "other language", "T"].map(str::to_owned);
        Some(FreeWordingCase { key, language, kind, gold, claim: claim.to_owned() })
    };
    Ok(text.lines().filter_map(case).collect())
}
