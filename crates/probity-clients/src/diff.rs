//! What an edit changes, as the lines of a unified diff. One hunk: an edit touches one place.

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
    let (old, new): (Vec<&str>, Vec<&str>) = (pieces(before), pieces(after));
    if old == new {
        return Vec::new();
    }
    let ahead = old.iter().zip(&new).take_while(|(left, right)| left == right).count();
    let shorter = old.len().min(new.len()) - ahead;
    let behind = old
        .iter()
        .rev()
        .zip(new.iter().rev())
        .take(shorter)
        .take_while(|(left, right)| left == right)
        .count();
    let from = ahead.saturating_sub(CONTEXT_LINES);
    let gone = old.get(ahead..old.len() - behind).unwrap_or_default();
    let added = new.get(ahead..new.len() - behind).unwrap_or_default();
    let lead = old.get(from..ahead).unwrap_or_default();
    let tail: Vec<&str> = old.iter().skip(old.len() - behind).take(CONTEXT_LINES).copied().collect();
    let same = lead.len() + tail.len();
    let place = format!(
        "@@ -{} +{} @@",
        range(from, same + gone.len(), old.len()),
        range(from, same + added.len(), new.len())
    );
    let mut lines = vec![DiffLine { side: DiffSide::Place, text: place }];
    for (side, part) in [
        (DiffSide::Same, lead),
        (DiffSide::Gone, gone),
        (DiffSide::New, added),
        (DiffSide::Same, tail.as_slice()),
    ] {
        lines.extend(part.iter().map(|text| DiffLine { side, text: bare(text) }));
    }
    lines
}

/// Lines with their ends, so that a missing last line break is a difference.
fn pieces(text: &str) -> Vec<&str> {
    text.split_inclusive('\n').collect()
}

fn bare(line: &str) -> String {
    line.trim_end_matches(['\n', '\r']).to_owned()
}

fn range(from: usize, count: usize, lines: usize) -> String {
    if lines == 0 { "0,0".to_owned() } else { format!("{},{count}", from + 1) }
}

#[cfg(test)]
mod tests {
    use super::{DiffSide, diff_lines};

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
        check("a\na\n", "a\n", "@@ -1,2 +1,1 @@\n a\n-a");
    }

    #[test]
    fn a_missing_last_line_break_is_a_difference() {
        check("a", "a\n", "@@ -1,1 +1,1 @@\n-a\n+a");
    }
}
