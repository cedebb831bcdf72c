//! Scores a report against the world it was written about: facts by their tuples, against the pages that are cited.
//!
//! Pure: a world and a text in, numbers out. It says nothing of prose or of insight as people feel it.

use std::{
    collections::{BTreeMap, BTreeSet},
    ops::Range,
};

use probity_simulator::research::{
    CONFLICT_WORDS, ConflictKind, FactLanguage, FactTuple, FoundFact, GAP_WORDS, HIGHER_WORDS,
    INFERENCE_WORDS, LOWER_WORDS, REVISED_WORDS, ResearchWorld, SCOPE_WORDS, attributes_in, count_words,
    entities_in, find_facts, main_language, sentences,
};

/// Bytes within which two sentences count as one statement of two sides.
const BOTH_SIDES_BYTES: usize = 300;
/// Headings of summaries, which repeat by intention.
const SUMMARIES: [&str; 4] = ["Key points", "Das Wichtigste", "要点", "Summary"];

/// So many of so many.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Tally {
    pub reached: usize,
    pub of: usize,
}

impl Tally {
    fn count(&mut self, reached: bool) {
        self.of += 1;
        self.reached += usize::from(reached);
    }
}

#[derive(Debug, Clone, Default, PartialEq)]
pub struct ReportScore {
    pub words: usize,
    pub words_asked: usize,
    /// Facts of the world that the report gives with a page that says them.
    pub facts: Tally,
    pub facets: Tally,
    /// Ends of chains of 2, 3 and 4 hops.
    pub hops: [Tally; 3],
    pub conflicts_shown: Tally,
    pub conflicts_settled: Tally,
    pub stale_as_current: usize,
    pub copies_as_independent: usize,
    pub cells_right: usize,
    pub cells_wrong: usize,
    pub cells_invented: usize,
    /// Statements that no page of the world makes.
    pub wrong: Vec<String>,
    /// Facts told in more than one section.
    pub repeated: Tally,
    /// Citations whose page says the fact.
    pub citations: Tally,
    pub uncited: usize,
    pub requirements: Tally,
    pub conclusions_marked: Tally,
    pub conclusions_invented: usize,
    pub gaps: Tally,
    pub traps: usize,
}

impl ReportScore {
    pub fn facts_per_100_words(&self) -> f64 {
        self.facts.reached as f64 * 100.0 / self.words.max(1) as f64
    }

    pub fn has_length(&self) -> bool {
        self.words * 4 >= self.words_asked * 3 && self.words * 4 <= self.words_asked * 5
    }
}

/// A world made ready for scoring many reports.
pub struct Scorer<'w> {
    world: &'w ResearchWorld,
    /// Page by address without scheme.
    places: BTreeMap<&'w str, usize>,
    said: Vec<BTreeSet<FactTuple>>,
    all_said: BTreeSet<FactTuple>,
}

/// One statement of the report.
struct Mention {
    tuple: FactTuple,
    place: Range<usize>,
    is_cell: bool,
    pages: Vec<usize>,
    section: usize,
}

impl<'w> Scorer<'w> {
    pub fn new(world: &'w ResearchWorld) -> Self {
        let bare = |url: &'w str| url.trim_start_matches("http://");
        let places = world.pages.iter().enumerate().map(|(place, page)| (bare(&page.url), place)).collect();
        let said: Vec<BTreeSet<FactTuple>> = world
            .pages
            .iter()
            .map(|page| find_facts(&page.text).into_iter().map(|found| found.tuple).collect())
            .collect();
        let all_said = said.iter().flatten().cloned().collect();
        Self { world, places, said, all_said }
    }

    /// Pages with these addresses, those of them that state a fact of the world, how many facts all of them state, and
    /// conflicts of which both sides are among them.
    pub fn facts_on<'a>(&self, addresses: impl Iterator<Item = &'a str>) -> [usize; 4] {
        let facts: BTreeSet<&FactTuple> = self.world.facts.iter().map(|fact| &fact.tuple).collect();
        let mut stated: BTreeSet<&FactTuple> = BTreeSet::new();
        let mut count = [0; 4];
        let pages: BTreeSet<usize> = addresses.filter_map(|address| self.page_at(address)).collect();
        let both = self.world.conflicts.iter().filter(|conflict| {
            let first = self.world.facts.get(conflict.fact).map(|fact| fact.page);
            first.is_some_and(|page| pages.contains(&page)) && pages.contains(&conflict.other_page)
        });
        count[3] = both.count();
        for page in pages {
            let known = self.said.get(page).into_iter().flatten().filter(|tuple| facts.contains(tuple));
            let before = stated.len();
            let mut is_one = false;
            for tuple in known {
                is_one = true;
                stated.insert(tuple);
            }
            count[0] += 1;
            count[1] += usize::from(is_one);
            count[2] += stated.len() - before;
        }
        count
    }

    pub fn score(&self, report: &str) -> ReportScore {
        let world = self.world;
        let references = self.references(report);
        let body = self.without_references(report);
        let mentions = self.mentions(&body, &references);
        let mut score = ReportScore {
            words: count_words(&body),
            words_asked: world.request.words,
            ..ReportScore::default()
        };
        let given: BTreeSet<&FactTuple> =
            mentions.iter().filter(|mention| self.is_exact(mention)).map(|mention| &mention.tuple).collect();
        let is_given = |fact: usize| world.facts.get(fact).is_some_and(|fact| given.contains(&fact.tuple));
        (0..world.facts.len()).for_each(|fact| score.facts.count(is_given(fact)));
        for facet in &world.facets {
            score.facets.count(given.iter().any(|tuple| tuple.attribute.quantity == *facet));
        }
        for chain in &world.chains {
            let end = chain.last().copied().unwrap_or(usize::MAX);
            if let Some(hops) = score.hops.get_mut(chain.len().saturating_sub(2)) {
                hops.count(is_given(end));
            }
        }
        self.statements(&mentions, &mut score);
        self.conflicts(&body, &mentions, &mut score);
        let compared = self.conclusions(&body, &mut score);
        for (entity, attribute) in &world.request.unanswerable {
            let names = |line: &str| {
                line.contains(entity.as_str())
                    && attributes_in(line).iter().any(|(_, found)| found == attribute)
                    && has(&GAP_WORDS, line)
            };
            score.gaps.count(body.lines().any(names));
        }
        score.traps = world
            .traps
            .iter()
            .filter(|trap| {
                let told = trap
                    .tuple
                    .as_ref()
                    .is_some_and(|tuple| mentions.iter().any(|mention| mention.tuple == *tuple));
                told || !trap.marker.is_empty() && body.contains(&trap.marker)
            })
            .count();
        let cells = world.request.table.iter().filter(|fact| {
            mentions.iter().any(|mention| {
                mention.is_cell && world.facts.get(**fact).is_some_and(|fact| fact.tuple == mention.tuple)
            })
        });
        score.requirements.count(cells.count() * 2 >= world.request.table.len());
        score.requirements.count(compared.contains(&world.request.comparison));
        score
            .requirements
            .count(FactLanguage::ALL.get(main_language(&body)) == Some(&world.request.language));
        let long_enough = score.has_length();
        score.requirements.count(long_enough);
        world.request.wanted.iter().for_each(|fact| score.requirements.count(is_given(*fact)));
        score
    }

    fn statements(&self, mentions: &[Mention], score: &mut ReportScore) {
        let mut sections: BTreeMap<&FactTuple, BTreeSet<usize>> = BTreeMap::new();
        for mention in mentions {
            let is_said =
                self.all_said.contains(&mention.tuple) || self.all_said.contains(&now(&mention.tuple));
            if !is_said {
                score.wrong.push(format!("{:?} at page {:?}", mention.tuple, mention.pages));
            }
            if mention.pages.is_empty() {
                score.uncited += 1;
            } else {
                score.citations.count(self.is_exact(mention));
            }
            if mention.is_cell {
                let known = self.all_said.iter().any(|said| said.same_key(&mention.tuple));
                score.cells_right += usize::from(is_said);
                score.cells_wrong += usize::from(!is_said && known);
                score.cells_invented += usize::from(!is_said && !known);
            }
            let old = |(old, _): &(FactTuple, usize)| *old == mention.tuple;
            score.stale_as_current +=
                usize::from(mention.tuple.period == 0 && self.world.outdated.iter().any(old));
            let twice = |(copy, original): &(usize, usize)| {
                mention.pages.contains(copy) && mention.pages.contains(original)
            };
            score.copies_as_independent += usize::from(self.world.copies.iter().any(twice));
            if mention.section > 0 {
                sections.entry(&mention.tuple).or_default().insert(mention.section);
            }
        }
        sections.values().for_each(|places| score.repeated.count(places.len() > 1));
    }

    fn conflicts(&self, body: &str, mentions: &[Mention], score: &mut ReportScore) {
        for conflict in &self.world.conflicts {
            let Some(fact) = self.world.facts.get(conflict.fact) else { continue };
            let of = |tuple: &FactTuple| {
                mentions
                    .iter()
                    .filter(|mention| mention.tuple == *tuple)
                    .map(|mention| mention.place.clone())
                    .collect::<Vec<_>>()
            };
            let (ours, others) = (of(&fact.tuple), of(&conflict.other));
            let spans = ours.iter().flat_map(|one| {
                others.iter().map(move |other| one.start.min(other.start)..one.end.max(other.end))
            });
            let shown = spans
                .filter(|span| span.len() <= BOTH_SIDES_BYTES)
                .filter_map(|span| body.get(span))
                .find(|text| has(&CONFLICT_WORDS, text));
            score.conflicts_shown.count(shown.is_some());
            score.conflicts_settled.count(shown.is_some_and(|text| match conflict.kind {
                ConflictKind::Superseded => has(&REVISED_WORDS, text),
                ConflictKind::Scope => has(&SCOPE_WORDS, text),
                ConflictKind::Real => true,
            }));
        }
    }

    /// Planted conclusions that the report states, marked or not.
    fn conclusions(&self, body: &str, score: &mut ReportScore) -> BTreeSet<usize> {
        let (mut stated, mut marked) = (BTreeSet::new(), BTreeSet::new());
        for sentence in sentences(body).into_iter().filter_map(|place| body.get(place)) {
            let (names, attributes) = (entities_in(sentence), attributes_in(sentence));
            let ([(_, first), (_, second)], [(_, attribute)]) = (names.as_slice(), attributes.as_slice())
            else {
                continue;
            };
            let (higher, lower) = match (has(&HIGHER_WORDS, sentence), has(&LOWER_WORDS, sentence)) {
                (true, false) => (first, second),
                (false, true) => (second, first),
                _ => continue,
            };
            let of = |name: &str| {
                self.all_said
                    .iter()
                    .filter(|said| said.entity == name && said.attribute == *attribute)
                    .collect::<Vec<_>>()
            };
            let follows = of(higher).iter().any(|high| {
                of(lower).iter().any(|low| high.period == low.period && high.tenths > low.tenths)
            });
            score.conclusions_invented += usize::from(!follows);
            let is_this = |(high, low): &(usize, usize)| {
                let name = |fact: &usize| {
                    self.world
                        .facts
                        .get(*fact)
                        .filter(|fact| fact.tuple.attribute == *attribute)
                        .map(|fact| fact.tuple.entity.as_str())
                };
                name(high) == Some(higher.as_str()) && name(low) == Some(lower.as_str())
            };
            if let Some(place) = self.world.conclusions.iter().position(is_this) {
                stated.insert(place);
                if has(&INFERENCE_WORDS, sentence) {
                    marked.insert(place);
                }
            }
        }
        (0..self.world.conclusions.len())
            .for_each(|place| score.conclusions_marked.count(marked.contains(&place)));
        stated
    }

    fn is_exact(&self, mention: &Mention) -> bool {
        let says = |page: &usize| {
            self.said
                .get(*page)
                .is_some_and(|said| said.contains(&mention.tuple) || said.contains(&now(&mention.tuple)))
        };
        mention.pages.iter().any(says)
    }

    fn mentions(&self, body: &str, references: &BTreeMap<usize, usize>) -> Vec<Mention> {
        let mut headings: Vec<(usize, bool)> = Vec::new();
        let mut offset = 0;
        for line in body.split_inclusive('\n') {
            if line.starts_with("## ") {
                headings.push((offset, SUMMARIES.iter().any(|words| line.contains(words))));
            }
            offset += line.len();
        }
        let section = |place: usize| {
            let before = headings.iter().filter(|(start, _)| *start < place).collect::<Vec<_>>();
            if before.last().is_some_and(|(_, is_summary)| *is_summary) { 0 } else { before.len() }
        };
        let mention = |found: FoundFact| {
            let pages = self.cited(body, &found.place, references);
            Mention {
                section: section(found.place.start),
                is_cell: found.table.is_some(),
                tuple: found.tuple,
                place: found.place,
                pages,
            }
        };
        find_facts(body).into_iter().map(mention).collect()
    }

    /// Pages cited inside a sentence or right behind it; what stands before its first word belongs to the one before.
    fn cited(&self, body: &str, place: &Range<usize>, references: &BTreeMap<usize, usize>) -> Vec<usize> {
        let sentence = body.get(place.clone()).unwrap_or_default();
        let own = behind_citations(sentence);
        let rest = body.get(place.end..).unwrap_or_default();
        let trailing = rest.get(..rest.len() - behind_citations(rest).len()).unwrap_or_default();
        let mut pages = Vec::new();
        for text in [own, trailing] {
            for (start, _) in text.match_indices("http://") {
                pages.extend(self.page_at(text.get(start..).unwrap_or_default()));
            }
            for group in text.split('[').skip(1) {
                let number =
                    group.split(']').next().and_then(|inside| inside.trim_start_matches('^').parse().ok());
                pages.extend(number.and_then(|number: usize| references.get(&number)).copied());
            }
        }
        pages.sort_unstable();
        pages.dedup();
        pages
    }

    fn page_at(&self, text: &str) -> Option<usize> {
        let bare = text.trim_start_matches("http://").trim_start_matches("https://");
        let end = bare
            .find(|letter: char| {
                letter.is_whitespace() || matches!(letter, ')' | ']' | '>' | '|' | ',' | '"')
            })
            .unwrap_or(bare.len());
        self.places.get(bare.get(..end)?.trim_end_matches(['.', '/'])).copied()
    }

    /// The page of a line that is an entry of a list of sources, and its number.
    fn reference(&self, line: &str) -> Option<(usize, usize)> {
        let line = line.trim_start_matches(['-', '*', ' ', '[', '^']);
        let digits: String = line.chars().take_while(char::is_ascii_digit).collect();
        let rest = line.strip_prefix(digits.as_str())?;
        let number = digits.parse().ok().filter(|_| rest.starts_with(['.', ']', ')']))?;
        let start = rest.rfind("http://").or_else(|| rest.rfind(' ').map(|at| at + 1))?;
        Some((number, self.page_at(rest.get(start..)?)?))
    }

    fn references(&self, report: &str) -> BTreeMap<usize, usize> {
        report.lines().filter_map(|line| self.reference(line)).collect()
    }

    fn without_references(&self, report: &str) -> String {
        let kept: Vec<&str> = report.lines().filter(|line| self.reference(line).is_none()).collect();
        kept.join("\n")
    }
}

/// The same statement about "now": a page that speaks of now is quoted with its date.
fn now(tuple: &FactTuple) -> FactTuple {
    FactTuple { period: 0, ..tuple.clone() }
}

fn has(words: &[&str], text: &str) -> bool {
    let lower = text.to_lowercase();
    words.iter().any(|word| lower.contains(&word.to_lowercase()))
}

/// A text without the citations it begins with.
fn behind_citations(text: &str) -> &str {
    let mut rest = text;
    loop {
        let trimmed = rest.trim_start_matches([' ', '.', '。']);
        let close = match trimmed.chars().next() {
            Some('[') => ']',
            Some('(') if trimmed.starts_with("([") || trimmed.starts_with("(http") => ')',
            _ => return rest,
        };
        match trimmed.split_once(close) {
            Some((inside, behind)) if inside.len() < 200 => rest = behind.strip_prefix(')').unwrap_or(behind),
            _ => return rest,
        }
    }
}

#[cfg(test)]
mod tests {
    use probity_simulator::research::ResearchWorld;

    use super::{Scorer, Tally};

    #[test]
    fn a_report_that_misses_nothing_scores_everything() {
        for seed in [1, 2, 3] {
            let world = ResearchWorld::seeded(seed);
            let score = Scorer::new(&world).score(&world.perfect_report());
            let all = |of| Tally { reached: of, of };
            assert_eq!(score.facts, all(300), "{seed}");
            assert_eq!(
                (score.hops, score.conflicts_shown, score.conflicts_settled),
                ([all(4); 3], all(10), all(10)),
                "{seed}"
            );
            assert_eq!((score.conclusions_marked, score.gaps), (all(8), all(6)), "{seed}");
            assert_eq!((score.cells_right, score.cells_wrong, score.cells_invented), (4, 0, 0), "{seed}");
            let faults = (
                score.wrong.len(),
                score.stale_as_current,
                score.copies_as_independent,
                score.traps,
                score.uncited,
            );
            assert_eq!(
                (faults, score.conclusions_invented, score.repeated.reached),
                ((0, 0, 0, 0, 0), 0, 0),
                "{seed}"
            );
            assert_eq!(score.citations.reached, score.citations.of, "{seed}");
            // Only the length is not as asked.
            assert!(
                score.requirements.of - score.requirements.reached <= 1,
                "{seed}: {:?}",
                score.requirements
            );
        }
    }

    #[test]
    fn numbers_behind_a_sentence_belong_to_it_and_wrong_pages_do_not_count() {
        let world = ResearchWorld::seeded(1);
        let (fact, other) = (&world.facts[0], &world.facts[150]);
        let sentence = world.pages[fact.page]
            .text
            .split(". ")
            .next()
            .unwrap_or_default()
            .trim_end_matches('.')
            .to_owned();
        let sources = format!(
            "## Sources\n\n1. A page, 2026: {}\n2. Another: {}\n",
            world.pages[fact.page].url, world.pages[other.page].url
        );
        let scorer = Scorer::new(&world);
        let right = scorer.score(&format!("{sentence}. [1] More words. [2]\n\n{sources}"));
        let wrong = scorer.score(&format!("Words. [1] {sentence}. [2] More words.\n\n{sources}"));
        assert_eq!((right.facts.reached, right.citations), (1, Tally { reached: 1, of: 1 }), "{sentence}");
        assert_eq!((wrong.facts.reached, wrong.citations), (0, Tally { reached: 0, of: 1 }));
    }
}
