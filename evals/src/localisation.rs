//! Does the best passage hold the evidence? Sentences that people marked, against the passages we find.

use probity_evidence::{locate::locate, page::IndexedPage};

use crate::{
    data::{self, WiceItem},
    outcome::{EvalExtent, EvalOutcome},
};

const FEW: usize = 5;
const MANY: usize = 10;
const FEW_GOAL: f64 = 0.98;
const MANY_GOAL: f64 = 0.85;

pub fn measure(extent: EvalExtent) -> anyhow::Result<Vec<EvalOutcome>> {
    let goal = format!("{FEW_GOAL} and {MANY_GOAL}");
    let folder = match data::folder() {
        Ok(folder) => folder,
        Err(why) => return Ok(vec![EvalOutcome::skipped("passages found", goal, why)]),
    };
    let mut outcomes = Vec::new();
    let mut all = LocalisationTally::default();
    for file in extent.pick(&["claim_test"][..], &["claim_dev", "claim_test"][..]) {
        let mut here = LocalisationTally::default();
        for item in data::wice(&folder, file)? {
            here.add(&item, passages);
        }
        outcomes.push(here.outcome(&format!("passages found, {file}")));
        all.join(&here);
    }
    if extent == EvalExtent::Full {
        outcomes.push(all.outcome("passages found, both"));
        // The control: the first sentences of a page, whatever the claim says.
        let mut control = LocalisationTally::default();
        for item in data::wice(&folder, "claim_test")? {
            control
                .add(&item, |_, page| page.sentences().iter().take(MANY).map(|s| (s.start, s.end)).collect());
        }
        outcomes.push(control.control("the first sentences instead (control)"));
    }
    Ok(outcomes)
}

fn passages(claim: &str, page: &IndexedPage) -> Vec<(usize, usize)> {
    locate(claim, page, MANY).iter().map(|found| (found.start, found.end)).collect()
}

#[derive(Debug, Default)]
struct LocalisationTally {
    items: usize,
    first: usize,
    few: usize,
    many: usize,
    whole: usize,
    bytes: usize,
}

impl LocalisationTally {
    fn add(&mut self, item: &WiceItem, find: impl Fn(&str, &IndexedPage) -> Vec<(usize, usize)>) {
        let sets: Vec<&Vec<usize>> = item.supporting_sentences.iter().filter(|set| !set.is_empty()).collect();
        if sets.is_empty() {
            return;
        }
        let page = IndexedPage::new(&item.page());
        let found = find(&item.claim, &page);
        let lines: Vec<Option<usize>> = found.iter().map(|range| line_of(item, *range)).collect();
        let gold = |line: &Option<usize>| line.is_some_and(|line| sets.iter().any(|set| set.contains(&line)));
        let has = |set: &Vec<usize>| set.iter().all(|line| lines.contains(&Some(*line)));
        self.items += 1;
        self.first += usize::from(lines.iter().take(1).any(gold));
        self.few += usize::from(lines.iter().take(FEW).any(gold));
        self.many += usize::from(lines.iter().any(gold));
        self.whole += usize::from(sets.into_iter().any(has));
        self.bytes += found.iter().map(|(start, end)| end - start).sum::<usize>();
    }

    fn join(&mut self, other: &Self) {
        self.items += other.items;
        self.first += other.first;
        self.few += other.few;
        self.many += other.many;
        self.whole += other.whole;
        self.bytes += other.bytes;
    }

    fn share(&self, count: usize) -> f64 {
        count as f64 / self.items.max(1) as f64
    }

    fn measured(&self) -> String {
        format!(
            "a marked sentence in {FEW}: {:.3}, a whole set in {MANY}: {:.3}",
            self.share(self.few),
            self.share(self.whole)
        )
    }

    fn outcome(&self, name: &str) -> EvalOutcome {
        let reached = self.share(self.few) >= FEW_GOAL && self.share(self.whole) >= MANY_GOAL;
        EvalOutcome::new(name, reached, self.measured(), format!("{FEW_GOAL} and {MANY_GOAL}")).with_note(
            format!(
                "n = {}; first {:.3}, in {MANY} {:.3}; {} bytes shown per claim",
                self.items,
                self.share(self.first),
                self.share(self.many),
                self.bytes / self.items.max(1)
            ),
        )
    }

    /// Reached when it fails: a benchmark that this passes would measure nothing.
    fn control(&self, name: &str) -> EvalOutcome {
        let fails = self.share(self.few) < FEW_GOAL && self.share(self.whole) < MANY_GOAL;
        EvalOutcome::new(name, fails, self.measured(), "falls short of both")
    }
}

/// The line of the page that a passage lies in; it never goes over a line's end.
fn line_of(item: &WiceItem, (start, end): (usize, usize)) -> Option<usize> {
    let mut from = 0;
    for (line, text) in item.evidence.iter().enumerate() {
        let to = from + text.len();
        if start >= from && end <= to {
            return Some(line);
        }
        from = to + 1;
    }
    None
}
