//! Whether a command printed what the page shows. `[..]` stands for anything within a line, `...` alone for any number
//! of lines. Pure.

/// Whether the printed lines are those of the page.
pub fn fits(expected: &[String], printed: &str) -> bool {
    let expected: Vec<&str> = trimmed(expected.iter().map(String::as_str));
    let printed: Vec<&str> = trimmed(printed.lines());
    // A command without any shown output may print what it likes.
    expected.is_empty() || lines_fit(&expected, &printed)
}

/// Without white space at line ends, and without empty lines at the end.
fn trimmed<'t>(lines: impl Iterator<Item = &'t str>) -> Vec<&'t str> {
    let mut lines: Vec<&str> = lines.map(str::trim_end).collect();
    while lines.last().is_some_and(|line| line.is_empty()) {
        lines.pop();
    }
    lines
}

fn lines_fit(expected: &[&str], printed: &[&str]) -> bool {
    match expected.split_first() {
        None => printed.is_empty(),
        Some((&"...", rest)) => {
            (0..=printed.len()).any(|skipped| lines_fit(rest, printed.get(skipped..).unwrap_or_default()))
        }
        Some((line, rest)) => printed
            .split_first()
            .is_some_and(|(found, behind)| line_fits(line, found) && lines_fit(rest, behind)),
    }
}

fn line_fits(expected: &str, printed: &str) -> bool {
    let mut parts = expected.split("[..]");
    let first = parts.next().unwrap_or_default();
    let Some(mut rest) = printed.strip_prefix(first) else { return false };
    let mut parts = parts.peekable();
    if parts.peek().is_none() {
        return rest.is_empty();
    }
    while let Some(part) = parts.next() {
        if parts.peek().is_none() {
            return rest.ends_with(part);
        }
        match rest.split_once(part) {
            Some((_, behind)) => rest = behind,
            None => return false,
        }
    }
    true
}

#[cfg(test)]
mod tests {
    use super::fits;

    #[track_caller]
    fn check(expected: &[&str], printed: &str, fitting: bool) {
        let expected: Vec<String> = expected.iter().map(|line| (*line).to_owned()).collect();
        assert_eq!(fits(&expected, printed), fitting, "{expected:?} {printed:?}");
    }

    #[test]
    fn wildcards_stand_for_what_changes_and_nothing_else() {
        check(&["a", "b"], "a\nb\n", true);
        check(&["a", "b"], "a\nc\n", false);
        check(&["a"], "a\nb\n", false);
        check(&["research [..] started"], "research res_12 started  \n", true);
        check(&["research [..] started"], "research res_12 ended\n", false);
        check(&["a [..] b [..] c"], "a 1 b 2 c", true);
        check(&["a [..] b [..] c"], "a 1 c 2 b", false);
        check(&["...", "b"], "x\ny\nb", true);
        check(&["a", "..."], "a", true);
        check(&["a", "...", "c"], "a\nb", false);
        check(&[], "anything", true);
    }
}
