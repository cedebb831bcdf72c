//! What the scripted model cannot do. The numbers are assumptions of the benchmark's design, the same for every system;
//! `evals/research/README.md` says which of them were fitted to a real model.

use super::super::random::share_of;

#[derive(Debug, Clone, Copy, PartialEq)]
pub struct ResearchLimits {
    /// Longer prompts are refused, as endpoints do.
    pub window_tokens: u64,
    pub output_tokens_max: u64,
    /// Share of what a page says that a reader copies from a short prompt.
    pub reader_recall: f64,
    /// Share of what its notes say that a writer takes up.
    pub writer_recall: f64,
    /// Share of copies with a wrong figure.
    pub wrong_copies: f64,
    /// Share of copies in other words than the page's.
    pub paraphrases: f64,
    /// Words that one call can be brought to write.
    pub words_max: f64,
    /// Share of citations that name another source, for each source in the prompt.
    pub misattributed_per_source: f64,
    /// Share of contradictions in its prompt that a writer sees without being told of them.
    pub conflicts_seen: f64,
    /// Share of verdicts that miss what is there.
    pub verdicts_missed: f64,
    /// How fast it writes, one answer after the other, as a model on one machine does; none: at once.
    pub tokens_per_second: Option<u64>,
}

impl Default for ResearchLimits {
    fn default() -> Self {
        Self {
            window_tokens: 128_000,
            output_tokens_max: 8_192,
            reader_recall: 0.8,
            writer_recall: 0.95,
            wrong_copies: 0.03,
            paraphrases: 0.05,
            words_max: 1_040.0,
            misattributed_per_source: 0.002,
            conflicts_seen: 0.5,
            verdicts_missed: 0.02,
            tokens_per_second: None,
        }
    }
}

/// Prompts up to this length cost no attention.
const EASY_TOKENS: f64 = 4_000.0;
/// Share of recall that each doubling beyond costs.
const LOSS_PER_DOUBLING: f64 = 0.06;
/// What is lost in the very middle of a long prompt, on top.
const LOSS_IN_MIDDLE: f64 = 0.25;
/// Prompts of this length have a full middle.
const LONG_TOKENS: f64 = 32_000.0;
/// No prompt misattributes more.
const MISATTRIBUTED_MAX: f64 = 0.5;

impl ResearchLimits {
    /// Whether something at this place (0 to 1) of a prompt of so many tokens is noticed. The words decide the draw.
    pub(super) fn notices(&self, recall: f64, tokens: u64, place: f64, words: &[&str]) -> bool {
        let tokens = tokens as f64;
        let doublings = (tokens / EASY_TOKENS).log2().max(0.0);
        let middle = 1.0 - (2.0 * place - 1.0).abs();
        let length = (tokens / LONG_TOKENS).min(1.0);
        let share = recall
            * (1.0 - LOSS_PER_DOUBLING * doublings).max(0.3)
            * (1.0 - LOSS_IN_MIDDLE * middle * length);
        share_of(words) < share
    }

    /// How many words come when so many are asked for: as asked while few, saturating at `words_max`.
    pub(super) fn delivered(&self, asked: usize) -> usize {
        let asked = asked as f64;
        (asked / (1.0 + (asked / self.words_max).powi(4)).powf(0.25)) as usize
    }

    pub(super) fn misattributes(&self, sources: usize, words: &[&str]) -> bool {
        let share = (self.misattributed_per_source * sources as f64).min(MISATTRIBUTED_MAX);
        sources > 1 && share_of(words) < share
    }
}

#[cfg(test)]
mod tests {
    use super::ResearchLimits;

    #[test]
    fn length_is_delivered_as_asked_while_it_is_short_and_saturates() {
        let limits = ResearchLimits::default();
        let delivered = [250, 500, 700, 1_575, 5_000, 100_000].map(|asked| limits.delivered(asked));
        assert_eq!(delivered, [249, 493, 668, 995, 1_039, 1_039]);
    }

    #[test]
    fn recall_falls_with_length_and_in_the_middle() {
        let limits = ResearchLimits::default();
        let share = |tokens, place| {
            let words: Vec<String> = (0..4_000).map(|number| number.to_string()).collect();
            words.iter().filter(|word| limits.notices(0.8, tokens, place, &[word])).count() / 40
        };
        let (short, long, middle) = (share(2_000, 0.5), share(64_000, 0.0), share(64_000, 0.5));
        assert!(
            (76..=81).contains(&short) && (56..=66).contains(&long) && middle + 10 < long,
            "{short} {long} {middle}"
        );
    }

    #[test]
    fn two_of_a_hundred_citations_are_wrong_at_ten_sources_and_twenty_at_a_hundred() {
        let limits = ResearchLimits::default();
        let wrong = |sources| {
            let words: Vec<String> = (0..10_000).map(|number| number.to_string()).collect();
            words.iter().filter(|word| limits.misattributes(sources, &[word])).count() / 100
        };
        assert!(
            (1..=3).contains(&wrong(10)) && (18..=22).contains(&wrong(100)),
            "{} {}",
            wrong(10),
            wrong(100)
        );
    }
}
