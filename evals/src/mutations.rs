//! Mutation testing of the checks: sentences of real documents with one thing changed, in several languages, beside
//! the section they come from; and faithful ones, which must not be refuted. The corpus is committed.

use std::{collections::BTreeMap, fmt::Write as _, path::Path};

use probity_evidence::{
    anchor::anchor,
    compare::{self, ComparisonContext, ComparisonSource, PageFacts, RuleLeaning},
    locate::locate,
    page::IndexedPage,
};
use probity_types::ledger::Verdict;
use serde::Deserialize;

use crate::{
    data, no_judge,
    outcome::{EvalExtent, EvalOutcome},
    veto::{PASSAGES, learn},
};

#[derive(Debug, Deserialize)]
struct PageLine {
    text: String,
}

#[derive(Debug, Deserialize)]
struct MutationCase {
    kind: String,
    language: String,
    page: usize,
    claim: String,
    /// Put between quotation marks: it must stand on the page word for word.
    quotation: bool,
    /// By which template a control was reworded.
    #[serde(default)]
    how: String,
}

/// What became of one kind in one language.
#[derive(Debug, Clone, Copy, Default)]
struct MutationTally {
    all: usize,
    contradicted: usize,
    not_in_source: usize,
    qualified: usize,
    open: usize,
    /// Settled as supported though nobody judged.
    supported: usize,
    /// Quotations that were found though they were changed.
    quoted: usize,
}

impl MutationTally {
    fn add(&mut self, other: Self) {
        self.all += other.all;
        self.contradicted += other.contradicted;
        self.not_in_source += other.not_in_source;
        self.qualified += other.qualified;
        self.open += other.open;
        self.supported += other.supported;
        self.quoted += other.quoted;
    }

    fn caught(&self) -> usize {
        self.contradicted + self.not_in_source + self.qualified
    }

    fn in_words(&self) -> String {
        format!(
            "{} cases: contradicted {}, not in source {}, qualified {}, open {}, supported {}",
            self.all, self.contradicted, self.not_in_source, self.qualified, self.open, self.supported
        )
    }
}

/// Kinds of free prose that the rules are held to.
const COUNTABLE: [&str; 4] = ["number", "date", "unit", "name"];

pub fn measure(extent: EvalExtent) -> anyhow::Result<Vec<EvalOutcome>> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("mutations");
    let lines: Vec<PageLine> = data::lines(&folder.join("pages.jsonl"))?;
    let cases: Vec<MutationCase> = data::lines(&folder.join("cases.jsonl"))?;
    let pages: Vec<(IndexedPage, PageFacts)> = lines
        .iter()
        .map(|line| IndexedPage::new(&line.text))
        .map(|page| {
            let facts = PageFacts::of(&page);
            (page, facts)
        })
        .collect();
    let mut tallies: BTreeMap<(String, bool, String), MutationTally> = BTreeMap::new();
    let mut templates: BTreeMap<String, MutationTally> = BTreeMap::new();
    let mut items = String::new();
    for case in cases.iter().step_by(extent.pick(4, 1)) {
        let Some((page, facts)) = pages.get(case.page) else { continue };
        let one = judge(case, page, facts, &mut items)?;
        tallies.entry((case.kind.clone(), case.quotation, case.language.clone())).or_default().add(one);
        if case.kind == "control" {
            templates.entry(case.how.clone()).or_default().add(one);
        }
    }
    learn::save("mutations", &items)?;
    let template = |(how, tally): (&String, &MutationTally)| {
        EvalOutcome::new(format!("mutations: control by {how}"), true, tally.in_words(), "shown")
    };
    Ok(rows(&tallies).into_iter().chain(templates.iter().map(template)).collect())
}

fn judge(
    case: &MutationCase,
    page: &IndexedPage,
    facts: &PageFacts,
    items: &mut String,
) -> anyhow::Result<MutationTally> {
    let mut tally = MutationTally { all: 1, ..MutationTally::default() };
    if case.quotation {
        tally.quoted = usize::from(anchor(&case.claim, page).is_some());
        writeln!(
            items,
            "{}",
            serde_json::json!({"kind": case.kind, "claim": case.claim, "page": case.page, "quoted": tally.quoted})
        )?;
        return Ok(tally);
    }
    let passages = locate(&case.claim, page, PASSAGES);
    let comparison = compare::compare(
        &case.claim,
        &ComparisonSource { page, facts, passages: &passages, context: ComparisonContext::default() },
    );
    match comparison.leaning {
        RuleLeaning::Contradicted => tally.contradicted = 1,
        RuleLeaning::NotInSource => tally.not_in_source = 1,
        RuleLeaning::Qualified => tally.qualified = 1,
        RuleLeaning::Open => tally.open = 1,
    }
    tally.supported =
        usize::from(no_judge::rule_verdict(&case.claim, &comparison) == Some(Verdict::Supported));
    let reasons: Vec<&str> = comparison.remarks.iter().map(|remark| remark.reason.as_str()).collect();
    let line = serde_json::json!({
        "kind": case.kind, "language": case.language, "claim": case.claim, "page": case.page, "how": case.how,
        "leaning": format!("{:?}", comparison.leaning), "reasons": reasons,
    });
    writeln!(items, "{line}")?;
    Ok(tally)
}

fn rows(tallies: &BTreeMap<(String, bool, String), MutationTally>) -> Vec<EvalOutcome> {
    let sum = |wanted: &dyn Fn(&(String, bool, String)) -> bool| {
        let mut all = MutationTally::default();
        tallies.iter().filter(|(key, _)| wanted(key)).for_each(|(_, tally)| all.add(*tally));
        all
    };
    let percent = |part: usize, all: usize| 100.0 * part as f64 / all.max(1) as f64;
    let quotations = sum(&|key| key.1);
    let countable = sum(&|key| !key.1 && COUNTABLE.contains(&key.0.as_str()));
    let controls = sum(&|key| key.0 == "control");
    let unquoted = percent(quotations.all - quotations.quoted, quotations.all);
    let caught = percent(countable.caught(), countable.all);
    let refuted = percent(controls.contradicted, controls.all);
    let everything = sum(&|key| !key.1);
    let mut rows = vec![
        EvalOutcome::new(
            "changed and faithful sentences called supported without a judge",
            everything.supported == 0,
            format!("{} of {}", everything.supported, everything.all),
            "0",
        ),
        EvalOutcome::new(
            "changed and invented quotations caught",
            unquoted >= 99.0,
            format!("{unquoted:.1} % of {}", quotations.all),
            "≥ 99 %",
        ),
        EvalOutcome::new(
            "changed numbers, dates, units and names in prose caught",
            caught >= 60.0,
            format!("{caught:.1} % of {}", countable.all),
            "≥ 60 %",
        )
        .with_note(format!(
            "contradicted {}, not in source {}, qualified {}",
            countable.contradicted, countable.not_in_source, countable.qualified
        )),
        EvalOutcome::new(
            "faithful sentences called contradicted",
            refuted <= 3.0,
            format!("{refuted:.1} % of {}", controls.all),
            "≤ 3 %",
        )
        .with_note(format!("not in source {}, qualified {}", controls.not_in_source, controls.qualified)),
    ];
    for ((kind, quotation, language), tally) in tallies {
        let measured = if *quotation {
            format!("{} of {} found on the page", tally.quoted, tally.all)
        } else {
            tally.in_words()
        };
        let quoted = if *quotation { ", quoted" } else { "" };
        rows.push(EvalOutcome::new(
            format!("mutations: {kind}{quoted}, {language}"),
            true,
            measured,
            "shown",
        ));
    }
    rows
}
