//! Mutation testing of the checks: sentences of real documents with one thing changed, in several languages, beside
//! the section they come from; and faithful ones, which must not be refuted. The corpus is committed.

use std::{collections::BTreeMap, fmt::Write as _};

use probity_evidence::{
    anchor::anchor,
    compare::{self, PageFacts, RuleLeaning},
    page::IndexedPage,
};
use probity_types::ledger::Verdict;
use serde::Deserialize;

use super::{labelled_data as data, no_judge, veto};
use crate::{
    figure::{Figure, MeasurementSize},
    rig,
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

    fn in_words(&self) -> String {
        format!(
            "{} cases: contradicted {}, not in source {}, qualified {}, open {}, supported {}",
            self.all, self.contradicted, self.not_in_source, self.qualified, self.open, self.supported
        )
    }
}

/// Kind, whether quoted, language.
type MutationKey = (String, bool, String);

/// Kinds of free prose that the rules are held to.
const COUNTABLE: [&str; 4] = ["number", "date", "unit", "name"];

pub fn measure(size: MeasurementSize) -> anyhow::Result<Vec<Figure>> {
    let folder = rig::repository().join("evals/mutations");
    let lines: Vec<PageLine> = data::lines(&folder.join("pages.jsonl"))?;
    let cases: Vec<MutationCase> = data::lines(&folder.join("cases.jsonl"))?;
    let pages: Vec<_> = lines.iter().map(|line| veto::indexed(&line.text)).collect();
    let mut tallies: BTreeMap<MutationKey, MutationTally> = BTreeMap::new();
    let mut templates: BTreeMap<String, MutationTally> = BTreeMap::new();
    let mut items = String::new();
    for case in cases.iter().step_by(size.pick(4, 1)) {
        let Some(page) = pages.get(case.page) else { continue };
        let one = judge(case, page, &mut items)?;
        tallies.entry((case.kind.clone(), case.quotation, case.language.clone())).or_default().add(one);
        if case.kind == "control" {
            templates.entry(case.how.clone()).or_default().add(one);
        }
    }
    data::save("mutations", &items)?;
    let template = |(how, tally): (&String, &MutationTally)| {
        Figure::judged(&format!("mutations: control by {how}"), true, tally.in_words(), "shown")
    };
    Ok(rows(&tallies).into_iter().chain(templates.iter().map(template)).collect())
}

fn judge(
    case: &MutationCase,
    page: &(IndexedPage, PageFacts),
    items: &mut String,
) -> anyhow::Result<MutationTally> {
    let MutationCase { kind, language, claim, how, .. } = case;
    let mut tally = MutationTally { all: 1, ..MutationTally::default() };
    if case.quotation {
        tally.quoted = usize::from(anchor(claim, &page.0).is_some());
        let line =
            serde_json::json!({"kind": kind, "claim": claim, "page": case.page, "quoted": tally.quoted});
        writeln!(items, "{line}")?;
        return Ok(tally);
    }
    let comparison = veto::beside(claim, page, |source| compare::compare(claim, source));
    match comparison.leaning {
        RuleLeaning::Contradicted => tally.contradicted = 1,
        RuleLeaning::NotInSource => tally.not_in_source = 1,
        RuleLeaning::Qualified => tally.qualified = 1,
        RuleLeaning::Open => tally.open = 1,
    }
    tally.supported = usize::from(no_judge::rule_verdict(claim, &comparison) == Some(Verdict::Supported));
    let reasons: Vec<&str> = comparison.remarks.iter().map(|remark| remark.reason.as_str()).collect();
    let line = serde_json::json!({
        "kind": kind, "language": language, "claim": claim, "page": case.page, "how": how,
        "leaning": format!("{:?}", comparison.leaning), "reasons": reasons,
    });
    writeln!(items, "{line}")?;
    Ok(tally)
}

fn rows(tallies: &BTreeMap<MutationKey, MutationTally>) -> Vec<Figure> {
    let sum = |wanted: &dyn Fn(&MutationKey) -> bool| {
        let mut all = MutationTally::default();
        tallies.iter().filter(|(key, _)| wanted(key)).for_each(|(_, tally)| all.add(*tally));
        all
    };
    let percent = |part: usize, all: usize| 100.0 * part as f64 / all.max(1) as f64;
    let quotations = sum(&|key| key.1);
    let countable = sum(&|key| !key.1 && COUNTABLE.contains(&key.0.as_str()));
    let controls = sum(&|key| key.0 == "control");
    let everything = sum(&|key| !key.1);
    let unquoted = percent(quotations.all - quotations.quoted, quotations.all);
    let MutationTally { all, contradicted, not_in_source, qualified, .. } = countable;
    let caught = percent(contradicted + not_in_source + qualified, all);
    let refuted = percent(controls.contradicted, controls.all);
    let (name, goal) = ("changed and faithful sentences called supported without a judge", "0");
    let supported = format!("{} of {}", everything.supported, everything.all);
    let mut rows = vec![Figure::judged(name, everything.supported == 0, supported, goal)];
    let (name, measured) =
        ("changed and invented quotations caught", format!("{unquoted:.1} % of {}", quotations.all));
    rows.push(Figure::judged(name, unquoted >= 99.0, measured, "≥ 99 %"));
    let (name, measured) =
        ("changed numbers, dates, units and names in prose caught", format!("{caught:.1} % of {all}"));
    rows.push(Figure::judged(name, caught >= 60.0, measured, "≥ 60 %").with_note(format!(
        "contradicted {contradicted}, not in source {not_in_source}, qualified {qualified}"
    )));
    let (name, measured) =
        ("faithful sentences called contradicted", format!("{refuted:.1} % of {}", controls.all));
    let note = format!("not in source {}, qualified {}", controls.not_in_source, controls.qualified);
    rows.push(Figure::judged(name, refuted <= 3.0, measured, "≤ 3 %").with_note(note));
    for ((kind, quotation, language), tally) in tallies {
        let (quoted, measured) = match quotation {
            true => (", quoted", format!("{} of {} found on the page", tally.quoted, tally.all)),
            false => ("", tally.in_words()),
        };
        let name = format!("mutations: {kind}{quoted}, {language}");
        rows.push(Figure::judged(&name, true, measured, "shown"));
    }
    rows
}
