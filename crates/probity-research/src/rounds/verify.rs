//! When an answer is called verified, and the text that says so.
//!
//! The model's own statement is kept beside it and never suffices: a model that reads hostile pages can be
//! told to say it. Until claims are judged one by one, this is what the server itself can compute.

use super::{RoundAnswer, ToolEvidence, VerificationMode, agreement::answers_agree, links};

pub use crate::report::verification::{BASIS_EVIDENCE, BASIS_LEDGER, BASIS_MODEL, BASIS_ONE_ROUND};

/// The provider's redirects hide where a link leads: one that stayed is not resolved.
const REDIRECT_PATH: &str = "/grounding-api-redirect/";

pub fn basis(verification: VerificationMode, rounds_max: u32, checked: bool) -> &'static str {
    match verification {
        VerificationMode::Model => BASIS_MODEL,
        VerificationMode::Evidence if checked => BASIS_LEDGER,
        VerificationMode::Evidence if rounds_max < 2 => BASIS_ONE_ROUND,
        VerificationMode::Evidence => BASIS_EVIDENCE,
    }
}

/// Whether the newest answer is verified. `earlier` is the round before it; `all` is the output of all tools
/// so far, this round included.
pub fn verified(
    verification: VerificationMode,
    earlier: Option<&RoundAnswer>,
    answer: &RoundAnswer,
    all: &ToolEvidence,
) -> bool {
    if verification == VerificationMode::Model {
        return answer.model_says_verified;
    }
    let cites = !answer.report.citations.is_empty() || !links::addresses(&answer.report.text).is_empty();
    let agrees = earlier.is_some_and(|earlier| answers_agree(&earlier.report.text, &answer.report.text));
    answer.model_says_verified && answer.unresolved.is_empty() && cites && !all.pages.is_empty() && agrees
}

/// Addresses that only the model names.
pub fn untraced<'a>(addresses: impl IntoIterator<Item = &'a String>, evidence: &ToolEvidence) -> Vec<String> {
    let brought = |address: &str| {
        let wanted = links::canonical(address);
        let sources = evidence.sources.iter().map(|source| &source.url);
        sources.chain(&evidence.pages).any(|known| links::canonical(known) == wanted)
    };
    let mut untraced: Vec<String> = Vec::new();
    for address in addresses {
        let hidden = address.contains(REDIRECT_PATH);
        if (hidden || !brought(address)) && !untraced.contains(address) {
            untraced.push(address.clone());
        }
    }
    untraced
}

#[cfg(test)]
mod tests {
    use super::{RoundAnswer, ToolEvidence, VerificationMode, untraced, verified};
    use crate::report::{Report, SourceLink};

    const TEXT: &str = "The first one ran in 2015 [1](https://a.example/1).";

    fn answer(text: &str, says: bool) -> RoundAnswer {
        RoundAnswer {
            report: Report { text: text.to_owned(), ..Report::default() },
            model_says_verified: says,
            ..RoundAnswer::default()
        }
    }

    fn evidence() -> ToolEvidence {
        ToolEvidence {
            sources: vec![SourceLink { url: "https://a.example/1".to_owned(), title: String::new() }],
            queries: vec!["q".to_owned()],
            pages: vec!["https://a.example/1".to_owned()],
        }
    }

    #[test]
    fn all_four_must_hold() {
        let check = |earlier: Option<&RoundAnswer>, answer: &RoundAnswer, all: &ToolEvidence| {
            verified(VerificationMode::Evidence, earlier, answer, all)
        };
        let (first, second) = (answer(TEXT, false), answer(TEXT, true));
        assert!(check(Some(&first), &second, &evidence()));
        assert!(!check(Some(&first), &first, &evidence()), "the model did not confirm");
        assert!(!check(None, &second, &evidence()), "there is no earlier round");
        assert!(!check(Some(&answer("It ran in 2016.", true)), &second, &evidence()), "rounds disagree");
        let unread = ToolEvidence { pages: Vec::new(), ..evidence() };
        assert!(!check(Some(&first), &second, &unread), "nothing was fetched");
        let invented = RoundAnswer { unresolved: vec!["https://x.example".to_owned()], ..second.clone() };
        assert!(!check(Some(&first), &invented, &evidence()), "an address came from nowhere");
        let bare = answer("It ran in 2015.", true);
        assert!(!check(Some(&bare), &bare, &evidence()), "nothing is cited");
    }

    #[test]
    fn the_models_word_counts_alone_only_where_the_user_says_so() {
        let alone = answer("It ran in 2015.", true);
        assert!(verified(VerificationMode::Model, None, &alone, &ToolEvidence::default()));
        assert!(!verified(VerificationMode::Evidence, None, &alone, &ToolEvidence::default()));
    }

    #[test]
    fn addresses_without_a_tool_behind_them_and_redirects_that_stayed_are_told() {
        let addresses = [
            "https://A.example/1/",
            "http://127.0.0.1:1/steal?q=x",
            "https://v.example/grounding-api-redirect/abc",
        ]
        .map(str::to_owned);
        assert_eq!(untraced(&addresses, &evidence()), addresses.get(1..).unwrap());
    }
}
