//! Names that are not ours: brought into our spelling, and compared with those that exist.

/// Longer names are no names; only so much of them is compared.
const NAME_CHARACTERS_MAX: usize = 64;
/// One slip in so many letters still is the same name.
const LETTERS_PER_SLIP: usize = 4;

/// What others call these. Suggested, never taken.
const SYNONYMS: &[(&str, &[&str])] = &[
    (
        "query",
        &["question", "questions", "q", "prompt", "topic", "goal", "input", "keywords", "message", "text"],
    ),
    ("question", &["query", "q", "prompt", "follow_up", "followup", "input", "message", "text"]),
    ("task_id", &["id", "research_id", "run_id", "job_id", "task", "run", "research", "report_id"]),
    (
        "text",
        &["content", "markdown", "report", "document", "body", "query", "contains", "search", "url", "urls"],
    ),
    ("max_iterations", &["rounds", "max_rounds", "iterations", "depth", "max_attempts", "attempts"]),
    (
        "max_attempts",
        &["attempts", "tries", "max_tries", "retries", "rounds", "max_iterations", "iterations"],
    ),
    ("wait_seconds", &["timeout", "timeout_seconds", "timeout_ms", "wait", "wait_ms", "seconds", "block"]),
    ("max_wait_hours", &["timeout", "timeout_hours", "deadline", "hours", "max_hours", "max_time"]),
    ("max_chars", &["max_characters", "max_length", "max_tokens", "page_size", "length", "limit", "size"]),
    ("limit", &["count", "max", "max_results", "n", "page_size", "per_page", "size", "top"]),
    ("cursor", &["page", "offset", "next", "section", "page_token", "start"]),
    ("since", &["from", "after", "start_date", "date", "from_date", "newer_than"]),
    ("status", &["state", "filter"]),
    ("engine", &["provider", "backend", "source"]),
    (
        "output_dir",
        &["path", "directory", "dir", "folder", "output", "output_path", "file_path", "destination"],
    ),
    ("filename_prefix", &["filename", "file_name", "name", "prefix", "title", "file"]),
    ("include_metadata", &["metadata", "with_metadata", "header"]),
    ("include_sources", &["sources", "citations", "with_sources", "references"]),
    ("save_partial", &["partial", "keep_partial", "keep", "keep_results"]),
    ("enable_notifications", &["notify", "notification", "notifications"]),
    ("confirmed_cost_usd", &["confirmed", "confirm"]),
    ("again", &["force", "restart", "repeat", "retry", "rerun"]),
    ("model", &["agent", "agent_name", "llm"]),
    ("tool", &["mode", "kind", "type", "tool_name", "for"]),
    ("context_snippet", &["context", "snippet", "background", "notes"]),
    ("task_scope", &["scope", "size", "effort", "depth", "level"]),
    ("task_type_hint", &["task_type", "type", "hint", "kind"]),
    ("completed", &["done", "finished", "complete", "success", "succeeded", "ready"]),
    ("running_async", &["active", "in_progress", "working", "started", "async"]),
    ("failed", &["error", "failure", "broken"]),
    ("cancelled", &["canceled", "stopped", "aborted"]),
    ("timed_out", &["timeout"]),
    ("tiny", &["small", "minimal", "quick"]),
    ("normal", &["medium", "default", "standard"]),
    ("large", &["big", "huge", "broad", "deep", "full"]),
    ("debug", &["debugging", "bug", "bugfix", "fix"]),
    ("architecture", &["design", "architectural"]),
    ("reference", &["docs", "documentation", "lookup", "api"]),
    ("research", &["study", "survey", "investigation"]),
    ("web", &["internet", "browser"]),
];

/// `taskId`, `task-id` and `Task Id` as `task_id`.
pub fn snake_case(written: &str) -> String {
    let mut name = String::new();
    let mut after_small = false;
    for letter in written.trim().chars().take(NAME_CHARACTERS_MAX) {
        if letter.is_uppercase() && after_small {
            name.push('_');
        }
        after_small = letter.is_lowercase() || letter.is_numeric();
        if matches!(letter, '-' | ' ') { name.push('_') } else { name.extend(letter.to_lowercase()) }
    }
    name
}

/// A word without its case, for comparing values.
pub fn folded(word: &str) -> String {
    let letters = word.trim().chars().take(NAME_CHARACTERS_MAX);
    letters
        .map(|letter| if matches!(letter, '-' | ' ') { '_' } else { letter.to_ascii_lowercase() })
        .collect()
}

/// The one of `known` that `name` most likely stands for.
pub fn closest<'a>(name: &str, known: &[&'a str]) -> Option<&'a str> {
    let same = || known.iter().find(|candidate| is_synonym(candidate, name));
    let slips_max = (name.chars().count() / LETTERS_PER_SLIP).max(1);
    let misspelt = || {
        let near = known.iter().map(|candidate| (slips(name, &folded(candidate)), candidate));
        near.filter(|(slips, _)| *slips <= slips_max).min_by_key(|(slips, _)| *slips).map(|(_, name)| name)
    };
    let shared = || known.iter().find(|candidate| shares_word(candidate, name));
    same().or_else(misspelt).or_else(shared).copied()
}

fn is_synonym(candidate: &str, name: &str) -> bool {
    SYNONYMS.iter().any(|(ours, theirs)| *ours == candidate && theirs.contains(&name))
}

fn shares_word(candidate: &str, name: &str) -> bool {
    // A limit of the cost is no approval: `max_cost` does not mean `confirmed_cost_usd`.
    let weak = ["max", "include", "id", "task", "research", "cost", "usd", ""];
    name.split('_').any(|word| !weak.contains(&word) && candidate.split('_').any(|ours| ours == word))
}

/// Letters to change, add, leave out or swap with their neighbour until `from` is `to`.
fn slips(from: &str, to: &str) -> usize {
    let (from, to): (Vec<char>, Vec<char>) = (from.chars().collect(), to.chars().collect());
    // Rows of the table: two before the current one, and the one before it.
    let (mut before, mut last): (Vec<usize>, Vec<usize>) = (Vec::new(), (0..=to.len()).collect());
    for (i, a) in from.iter().enumerate() {
        let mut row = vec![i + 1];
        for (j, b) in to.iter().enumerate() {
            let at = |row: &[usize], place: usize| row.get(place).copied().unwrap_or(usize::MAX / 2);
            let mut least =
                (at(&last, j) + usize::from(a != b)).min(at(&last, j + 1) + 1).min(at(&row, j) + 1);
            let swapped = i > 0 && j > 0 && from.get(i - 1) == Some(b) && to.get(j - 1) == Some(a);
            if swapped {
                least = least.min(at(&before, j - 1) + 1);
            }
            row.push(least);
        }
        before = std::mem::replace(&mut last, row);
    }
    last.last().copied().unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::{closest, slips, snake_case};

    #[test]
    fn other_spellings_become_ours() {
        for written in ["taskId", "task_id", "task-id", "TaskId", " Task Id "] {
            assert_eq!(snake_case(written), "task_id", "{written}");
        }
        assert_eq!(snake_case("sddContextSnippet"), "sdd_context_snippet");
        assert_eq!(snake_case(&"x".repeat(10_000)).len(), 64);
    }

    #[test]
    fn a_slip_a_synonym_and_a_shared_word_are_recognised_and_a_stranger_is_not() {
        let known = ["query", "max_wait_hours", "model", "enable_notifications"];
        assert_eq!(closest("qeury", &known), Some("query"));
        assert_eq!(closest("question", &known), Some("query"));
        assert_eq!(closest("wait", &known), Some("max_wait_hours"));
        assert_eq!(closest("enable_notification", &known), Some("enable_notifications"));
        assert_eq!(closest("temperature", &known), None);
        assert_eq!(
            (slips("", "abc"), slips("abc", ""), slips("ab", "ba"), slips("same", "same")),
            (3, 3, 1, 0)
        );
    }
}
