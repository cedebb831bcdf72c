//! What an edit changes, as the lines of a unified diff.

use similar::{Algorithm, ChangeTag, TextDiff};

/// Unchanged lines shown around a change.
const CONTEXT_LINES: usize = 3;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum DiffSide {
    /// Where the hunk is.
    Place,
    Same,
    Gone,
    New,
}

/// One line without its line break.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DiffLine {
    pub side: DiffSide,
    pub text: String,
}

/// Empty when the two are the same.
pub fn diff_lines(before: &str, after: &str) -> Vec<DiffLine> {
    // Patience keeps lines that occur once in place, as the keys of settings do.
    let diff = TextDiff::configure().algorithm(Algorithm::Patience).diff_lines(before, after);
    let mut lines = Vec::new();
    for hunk in diff.unified_diff().context_radius(CONTEXT_LINES).iter_hunks() {
        lines.push(DiffLine { side: DiffSide::Place, text: hunk.header().to_string() });
        lines.extend(hunk.iter_changes().map(|change| DiffLine {
            side: match change.tag() {
                ChangeTag::Equal => DiffSide::Same,
                ChangeTag::Delete => DiffSide::Gone,
                ChangeTag::Insert => DiffSide::New,
            },
            text: change.value().trim_end_matches(['\n', '\r']).to_owned(),
        }));
    }
    lines
}

#[cfg(test)]
mod tests {
    use proptest::prelude::{any, prop_assert_eq, proptest};

    use super::{DiffSide, diff_lines};

    #[track_caller]
    fn check(before: &str, after: &str, expected: &str) {
        let told: Vec<String> = diff_lines(before, after)
            .into_iter()
            .map(|line| match line.side {
                DiffSide::Place => line.text,
                DiffSide::Same => format!(" {}", line.text),
                DiffSide::Gone => format!("-{}", line.text),
                DiffSide::New => format!("+{}", line.text),
            })
            .collect();
        assert_eq!(told.join("\n"), expected);
    }

    #[test]
    fn one_hunk_with_its_surroundings() {
        check("a\n", "a\n", "");
        check("", "a\nb\n", "@@ -0,0 +1,2 @@\n+a\n+b");
        check("1\n2\n3\n4\n5\n6\n", "1\n2\n3\n4\nnew\n5\n6\n", "@@ -2,5 +2,6 @@\n 2\n 3\n 4\n+new\n 5\n 6");
        check("a\nb\nc", "a\nc", "@@ -1,3 +1,2 @@\n a\n-b\n c");
        check("a\na\n", "a\n", "@@ -1,2 +1 @@\n a\n-a");
    }

    #[test]
    fn a_missing_last_line_break_is_a_difference() {
        check("a", "a\n", "@@ -1 +1 @@\n-a\n+a");
    }

    #[test]
    fn two_changes_far_apart_are_two_hunks() {
        check(
            "[probity]\ncommand = 1\na\nb\nc\nd\ne\nf\ng\nargs = 1\n",
            "[probity]\ncommand = 2\na\nb\nc\nd\ne\nf\ng\nargs = 2\n",
            "@@ -1,5 +1,5 @@\n [probity]\n-command = 1\n+command = 2\n a\n b\n c\n\
             @@ -7,4 +7,4 @@\n e\n f\n g\n-args = 1\n+args = 2",
        );
    }

    proptest! {
        #[test]
        fn a_line_that_stays_is_never_shown_as_gone(
            count in 2..40_usize,
            first in 0..40_usize,
            second in 0..40_usize,
            is_kept in any::<bool>(),
        ) {
            let old: Vec<String> = (0..count).map(|line| format!("{line}\n")).collect();
            let changed = [first % count, second % count];
            let edit = |(at, line): (usize, &String)| match changed.contains(&at) {
                true if is_kept => format!("{line}new {line}"),
                true => format!("new {line}"),
                false => line.clone(),
            };
            let new: Vec<String> = old.iter().enumerate().map(edit).collect();
            let (before, after) = (old.concat(), new.concat());
            for line in diff_lines(&before, &after) {
                let stands_in = |text: &str| text.lines().any(|other| other == line.text);
                let expected = match line.side {
                    DiffSide::Place => continue,
                    DiffSide::Same => (true, true),
                    DiffSide::Gone => (true, false),
                    DiffSide::New => (false, true),
                };
                prop_assert_eq!((stands_in(&before), stands_in(&after)), expected, "{}", line.text);
            }
        }
    }
}
