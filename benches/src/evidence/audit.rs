//! The structure of published reports of other systems, with our reader of reports; printed beside ours, no goal.
//!
//! The controls have a goal: reports with planted faults, of which every one must be seen and none invented.

use probity_evidence::{
    audit::{CitationAudit, audit},
    examine::examine,
    split::{CitationFaultKind, split},
};
use probity_types::ledger::{Claim, NotCheckedReason, Verdict};
use serde::Deserialize;
use serde_json::Value;

use super::{labelled_data as data, seeded_random::SeededRandom, speed::given_report};
use crate::figure::{Figure, MeasurementSize};

#[derive(Deserialize)]
struct PublishedReport {
    article: Option<String>,
}

/// File, and whose reports they are.
const SETS: &[(&str, &str)] = &[
    ("odr_gpt-5", "open_deep_research, GPT-5"),
    ("odr_claude4-sonnet", "open_deep_research, Sonnet 4"),
    ("odr_gpt-4.1", "open_deep_research, GPT-4.1"),
    ("claude37", "Claude 3.7 with search"),
];
/// Reports with planted faults.
const PLANTED: usize = 200;
/// Of each set, reports whose claims are counted one by one: English and Chinese ones.
const COUNTED_EACH: usize = 4;
const UNCITED_MAX: f64 = 35.0;

pub fn measure(size: MeasurementSize) -> anyhow::Result<Vec<Figure>> {
    let mut figures = vec![planted(size.pick(20, PLANTED))];
    let Some(folder) = data::folder() else {
        figures.extend(data::absent("published reports", "none")?);
        return Ok(figures);
    };
    let mut counted = Vec::new();
    for (file, name) in SETS {
        let published: Vec<PublishedReport> =
            data::lines(&folder.join("reports").join(format!("{file}.jsonl")))?;
        let step = published.len().div_ceil(COUNTED_EACH).max(1);
        counted.extend(published.iter().step_by(step).filter_map(|report| report.article.clone()));
        let reports: Vec<String> = published
            .into_iter()
            .filter_map(|report| report.article)
            .take(size.pick(10, usize::MAX))
            .collect();
        let mut sum = CitationAudit::default();
        for report in &reports {
            sum += audit(&split(report, &[], &[]));
        }
        let (name, measured) = (format!("published reports: {name}"), audit_summary(&sum, reports.len()));
        figures.push(Figure::judged(&name, true, measured, "none, for comparison"));
    }
    figures.push(uncited(&counted));
    Ok(figures)
}

/// Claims of published reports for which nothing is cited; those that have their source from a sentence beside them are
/// counted apart.
fn uncited(reports: &[String]) -> Figure {
    let (mut claims, mut uncited, mut inherited) = (0, 0, 0);
    for report in reports {
        let examined = examine(&given_report(report.clone(), Vec::new(), Vec::new()));
        let Some(mut ledger) = examined.ledger else { continue };
        ledger.compute_verdicts(None);
        let cites_nothing = Verdict::NotChecked { why: NotCheckedReason::Uncited };
        claims += ledger.claims.len();
        uncited += ledger.settled.iter().filter(|settled| settled.verdict == cites_nothing).count();
        inherited += ledger.claims.iter().filter(|claim| is_inherited(claim)).count();
    }
    let share = |part: usize| 100.0 * part as f64 / claims.max(1) as f64;
    let name = "claims of published reports that cite nothing";
    let measured = format!(
        "{:.1} % ({uncited} of {claims}); {:.1} % have it from a sentence beside them",
        share(uncited),
        share(inherited)
    );
    let reached = claims > 0 && share(uncited) <= UNCITED_MAX;
    Figure::judged(name, reached, measured, "at most 35 %")
        .with_note(format!("{} reports; pages were not read", reports.len()))
}

/// Whatever the ledger calls it: a mark on the claim that its source is another sentence's.
fn is_inherited(claim: &Claim) -> bool {
    let told = serde_json::to_value(claim).unwrap_or_default();
    let says_so = |(field, value): (&String, &Value)| {
        field.contains("inherit") && !matches!(value, Value::Null | Value::Bool(false))
    };
    told.as_object().into_iter().flatten().any(says_so)
}

/// One line with the shares of a set.
pub fn audit_summary(sum: &CitationAudit, reports: usize) -> String {
    let share = |part: usize, whole: usize| 100.0 * part as f64 / whole.max(1) as f64;
    let each = |count: usize| count as f64 / reports.max(1) as f64;
    format!(
        "{reports} reports; {:.0} % of sentences cited; figures cited {:.0} % in the sentence, {:.0} % in the paragraph, \
         item or row; {:.1} sources of {:.1} domains; {:.1} % dangling labels, {:.1} % orphans, {:.1} % duplicates, \
         {:.1} % front pages, {:.1} % malformed",
        share(sum.cited, sum.sentences),
        share(sum.numeric_cited, sum.numeric),
        share(sum.numeric_cited_block, sum.numeric),
        each(sum.sources),
        each(sum.domains),
        share(sum.dangling, sum.labels),
        share(sum.orphans, sum.sources),
        share(sum.duplicates, sum.sources + sum.duplicates),
        share(sum.roots, sum.sources),
        share(sum.malformed, sum.sources),
    )
}

/// Seeded reports with faults that we know: all found, nothing else.
fn planted(reports: usize) -> Figure {
    let mut random = SeededRandom::seeded(0x41554449);
    let (mut planted, mut found, mut invented) = (0_usize, 0_usize, 0_usize);
    for _ in 0..reports {
        let (report, mut expected) = write(&mut random);
        planted += expected.len();
        for fault in split(&report, &[], &[]).faults {
            match expected.iter().position(|kind| *kind == fault.kind) {
                Some(place) => {
                    expected.swap_remove(place);
                    found += 1;
                }
                None => invented += 1,
            }
        }
    }
    Figure::judged(
        "planted faults of citing",
        found == planted && invented == 0,
        format!("{found} of {planted} found, {invented} invented"),
        "all found, none invented",
    )
}

/// A report in one of the usual forms, and the faults in it.
fn write(random: &mut SeededRandom) -> (String, Vec<CitationFaultKind>) {
    let sources = 3 + random.below(8);
    let mut expected = Vec::new();
    let mut body = String::from("# A report\n\n");
    let form = random.below(4);
    for number in 1..=sources {
        let label = match form {
            0 => format!("[{number}]"),
            1 => format!("【{number}】"),
            2 => format!("[^{number}]"),
            _ => format!("[[{number}]](https://site{number}.example.org/page-{number})"),
        };
        body += &format!(
            "Value {number} was {}.{} per cent in the year 20{:02} {label}. ",
            random.below(90),
            random.below(9),
            random.below(25)
        );
        if random.chance(0.3) {
            body += "\n\n";
        }
    }
    if form < 3 && random.chance(0.5) {
        let open = if form == 2 { "[^" } else { "[" };
        body += &format!("Something else was 12 metres high {open}{}].", sources + 40);
        expected.push(CitationFaultKind::DanglingLabel);
    }
    body += "\n\n## Sources\n\n";
    for number in 1..=sources {
        let url = format!("https://site{number}.example.org/page-{number}");
        body += &match form {
            2 => format!("[^{number}]: Title {number}, {url}\n"),
            _ if number % 2 == 0 => format!("[{number}] Title {number}\n{url}\n"),
            _ => format!("[{number}] Title {number}: {url}\n"),
        };
    }
    let next = sources + 1;
    let open = if form == 2 { "[^" } else { "[" };
    let close = if form == 2 { "]:" } else { "]" };
    if random.chance(0.3) {
        body += &format!("{open}{next}{close} Title, https://site1.example.org/page-1?utm_source=x\n");
        expected.push(CitationFaultKind::DuplicateAddress);
    }
    if random.chance(0.3) {
        body += &format!("{open}{}{close} Title, https://front{next}.example.org/\n", next + 1);
        expected.extend([CitationFaultKind::RootAddress, CitationFaultKind::NeverCited]);
    }
    if random.chance(0.3) {
        body += &format!("{open}{}{close} Title, https://cut{next}.example.org/path/...\n", next + 2);
        expected.extend([CitationFaultKind::MalformedAddress, CitationFaultKind::NeverCited]);
    }
    (body, expected)
}
