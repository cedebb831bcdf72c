//! Does the best passage hold the evidence? Sentences that people marked, against the passages we find.

use probity_evidence::{locate::locate, page::IndexedPage};

use super::labelled_data::{self as data, WiceItem};
use crate::figure::{Figure, MeasurementSize};

const FEW: usize = 5;
const MANY: usize = 10;
const FEW_GOAL: f64 = 0.98;
const MANY_GOAL: f64 = 0.85;

type PassageRange = (usize, usize);

pub fn measure(size: MeasurementSize) -> anyhow::Result<Vec<Figure>> {
    let goal = format!("{FEW_GOAL} and {MANY_GOAL}");
    let Some(folder) = data::folder() else { return data::absent("passages found", &goal) };
    let mut figures = Vec::new();
    let mut all = Vec::new();
    for file in size.pick(&["claim_test"][..], &["claim_dev", "claim_test"][..]) {
        let items = data::wice(&folder, file)?;
        figures.push(LocalisationTally::of(&items, passages).figure(&format!("passages found, {file}")));
        all.extend(items);
    }
    if size == MeasurementSize::Full {
        figures.push(LocalisationTally::of(&all, passages).figure("passages found, both"));
        // The control: the first sentences of a page, whatever the claim says.
        let first = |_: &str, page: &IndexedPage| {
            page.sentences().iter().take(MANY).map(|sentence| (sentence.start, sentence.end)).collect()
        };
        let control = LocalisationTally::of(&data::wice(&folder, "claim_test")?, first);
        // Reached when it fails: a benchmark that this passes would measure nothing.
        let fails = control.share(control.few) < FEW_GOAL && control.share(control.whole) < MANY_GOAL;
        let name = "the first sentences instead (control)";
        figures.push(Figure::judged(name, fails, control.measured(), "falls short of both"));
    }
    Ok(figures)
}

fn passages(claim: &str, page: &IndexedPage) -> Vec<PassageRange> {
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
    fn of(items: &[WiceItem], find: impl Fn(&str, &IndexedPage) -> Vec<PassageRange>) -> Self {
        let mut tally = Self::default();
        items.iter().for_each(|item| tally.add(item, &find));
        tally
    }

    fn add(&mut self, item: &WiceItem, find: impl Fn(&str, &IndexedPage) -> Vec<PassageRange>) {
        let sets: Vec<&Vec<usize>> = item.supporting_sentences.iter().filter(|set| !set.is_empty()).collect();
        if sets.is_empty() {
            return;
        }
        let found = find(&item.claim, &IndexedPage::new(&item.page()));
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

    fn share(&self, count: usize) -> f64 {
        count as f64 / self.items.max(1) as f64
    }

    fn measured(&self) -> String {
        let (few, whole) = (self.share(self.few), self.share(self.whole));
        format!("a marked sentence in {FEW}: {few:.3}, a whole set in {MANY}: {whole:.3}")
    }

    fn figure(&self, name: &str) -> Figure {
        let reached = self.share(self.few) >= FEW_GOAL && self.share(self.whole) >= MANY_GOAL;
        let (first, many) = (self.share(self.first), self.share(self.many));
        let (items, bytes) = (self.items, self.bytes / self.items.max(1));
        Figure::judged(name, reached, self.measured(), &format!("{FEW_GOAL} and {MANY_GOAL}")).with_note(
            format!("n = {items}; first {first:.3}, in {MANY} {many:.3}; {bytes} bytes shown per claim"),
        )
    }
}

/// The line of the page that a passage lies in; it never goes over a line's end.
fn line_of(item: &WiceItem, (start, end): PassageRange) -> Option<usize> {
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
