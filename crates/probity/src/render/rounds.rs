//! The lines about a run in rounds: whether it is verified and why, and the outcome of each round.

use probity_research::{
    report::Report,
    rounds::{Mode, RoundNote, RoundsRecord},
    status::RunSummary,
    text,
};

use crate::format;

/// The block below a report.
pub fn rows(summary: &RunSummary, report: &Report, record: &RoundsRecord) -> Vec<(&'static str, String)> {
    let outcome = report.verification();
    let verified = if outcome.verified { "yes" } else { "no" };
    let mut rows = vec![("verified", format!("{verified}; {}", outcome.reason))];
    if report.ledger.is_some() {
        rows.push(("judge", outcome.judge_as_value()));
    }
    if record.model_says() == Some(true) && !outcome.verified {
        rows.push(("the model", "says it is verified".to_owned()));
    }
    if record.manner == Mode::DeepSearch {
        rows.push(("rounds", format!("{} of {}", record.iterations, record.rounds_max)));
    }
    rows.push(("sources", report.numbered_sources().len().to_string()));
    rows.extend(record.unproven().map(|words| ("unproven", words)));
    rows.push(("cost", super::cost(summary.cost)));
    rows.extend(record.note.clone().map(|note| ("note", note)));
    rows
}

/// One line for each round, or for each attempt of the web engine, of which nobody says whether it is verified.
pub fn lines(report: &Report, record: &RoundsRecord) -> Vec<(&'static str, String)> {
    let (word, is_judged) = if report.web.is_some() { ("attempt", false) } else { ("round", true) };
    let told = |note: &RoundNote| (word, format!("{}: {}", note.round_number, line(note, is_judged)));
    record.rounds.iter().map(told).collect()
}

fn line(note: &RoundNote, is_judged: bool) -> String {
    if let Some(problem) = &note.problem {
        let end = if note.was_stopped() { "stopped" } else { "failed" };
        return text::line(&format!("{end}, {}: {}", problem.code, problem.message), 300);
    }
    let verified = match (note.verified, note.model_says_verified) {
        (true, _) => "verified",
        (false, true) => "not verified, though the model says so",
        (false, false) => "not verified",
    };
    let counted = [
        (note.sources_visited.len() as u64, "source", "sources"),
        (note.search_queries.len() as u64, "search", "searches"),
        (u64::from(note.pages_read), "page", "pages"),
    ];
    let counted = counted.iter().map(|(number, one, many)| format::count(*number, one, many));
    is_judged.then(|| verified.to_owned()).into_iter().chain(counted).collect::<Vec<String>>().join(" · ")
}

#[cfg(test)]
mod tests {
    use probity_research::{Code, CodedError, rounds::RoundNote};

    use super::line;

    #[test]
    fn a_round_is_one_line_and_a_failed_one_says_why() {
        let mut note = RoundNote {
            round_number: 2,
            verified: false,
            model_says_verified: true,
            sources_visited: vec!["https://a.example/".to_owned()],
            search_queries: vec!["a".to_owned(), "b".to_owned()],
            pages_read: 0,
            intermediate_result_summary: String::new(),
            problem: None,
        };
        assert_eq!(
            line(&note, true),
            "not verified, though the model says so · 1 source · 2 searches · 0 pages"
        );
        note.problem = Some(CodedError::new(Code::Timeout, "no answer\nwithin 5 min"));
        assert_eq!(line(&note, true), "failed, TIMEOUT: no answer within 5 min");
        note.problem = Some(CodedError::new(Code::Deadline, "the deadline was reached during this round"));
        assert_eq!(line(&note, true), "stopped, DEADLINE: the deadline was reached during this round");
    }
}
