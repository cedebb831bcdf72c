//! Running heads and feet: lines at the edge of a page that the printer puts there and no writer says.

use std::collections::BTreeMap;

use super::page::PageLine;

/// Lines at the beginning and at the end of a page that may be such lines.
const EDGE_LINES: usize = 2;

/// Leaves such lines out. A line counts as one if most pages have it at their edge, whatever its figures, or if it
/// is what browsers print: the time, the address of the file, the number of the page.
pub fn leave_out(pages: &mut [(u32, Vec<PageLine>)]) {
    let mut seen: BTreeMap<String, usize> = BTreeMap::new();
    for (_, lines) in &*pages {
        let mut own: Vec<String> = edges(lines).map(|line| shape(&line.text)).collect();
        own.sort_unstable();
        own.dedup();
        own.into_iter().for_each(|shape| *seen.entry(shape).or_default() += 1);
    }
    let all = pages.len();
    // Of two pages both; of more, more than half.
    let repeats = |text: &str| {
        let count = seen.get(&shape(text)).copied().unwrap_or(0);
        count >= 2 && 2 * count > all && text.chars().any(char::is_alphanumeric)
    };
    for (_, lines) in pages {
        let count = lines.iter().filter(|line| !line.text.trim().is_empty()).count();
        let mut place = 0;
        lines.retain(|line| {
            if line.text.trim().is_empty() {
                return true;
            }
            let is_edge = place < EDGE_LINES || place + EDGE_LINES >= count;
            place += 1;
            !(is_edge && (is_printed(&line.text) || repeats(&line.text)))
        });
    }
}

/// The first and the last lines with words.
fn edges(lines: &[PageLine]) -> impl Iterator<Item = &PageLine> {
    let shown: Vec<&PageLine> = lines.iter().filter(|line| !line.text.trim().is_empty()).collect();
    let count = shown.len();
    shown
        .into_iter()
        .enumerate()
        .filter(move |(place, _)| *place < EDGE_LINES || place + EDGE_LINES >= count)
        .map(|(_, line)| line)
}

/// A line with its figures made equal: page 3 and page 4 have the same foot.
fn shape(text: &str) -> String {
    let mut shape = String::with_capacity(text.len());
    for c in text.trim().chars() {
        match c.is_ascii_digit() {
            true if shape.ends_with('#') => {}
            true => shape.push('#'),
            false => shape.push(c),
        }
    }
    shape
}

/// What a browser prints at the edges: `11/18/26, 3:02 PM Report`, `file:///tmp/report.html 1/1`, `Page 2 of 9`.
fn is_printed(text: &str) -> bool {
    let text = text.trim();
    let lower = text.to_lowercase();
    let last = text.split_whitespace().last().unwrap_or_default();
    let is_count =
        |word: &str| word.split_once('/').is_some_and(|(one, all)| is_number(one) && is_number(all));
    let address = text.split_whitespace().next().unwrap_or_default();
    let is_address = ["file:///", "http://", "https://"].iter().any(|scheme| address.starts_with(scheme));
    let is_foot = is_address && text.split_whitespace().count() == 2 && is_count(last);
    let is_file = lower.starts_with("file:///");
    let words: Vec<&str> = lower.split_whitespace().collect();
    let is_page = match words.as_slice() {
        ["page" | "seite", number] => is_number(number),
        ["page" | "seite", number, "of" | "von" | "/", all] => is_number(number) && is_number(all),
        [only] => is_count(only),
        _ => false,
    };
    is_foot || is_file || is_page || begins_with_time(text)
}

fn is_number(text: &str) -> bool {
    (1..=4).contains(&text.len()) && text.bytes().all(|byte| byte.is_ascii_digit())
}

/// `11/18/26, 3:02 PM …`, `18.11.26, 15:02 …`: a date in figures and a time at once behind it.
fn begins_with_time(text: &str) -> bool {
    let Some((date, rest)) = text.split_once(", ") else { return false };
    let parts: Vec<&str> = date.split(['/', '.', '-']).collect();
    let is_date = parts.len() == 3 && parts.iter().all(|part| is_number(part));
    let time = rest.split_whitespace().next().unwrap_or_default();
    let is_time = time.split_once(':').is_some_and(|(hours, minutes)| {
        is_number(hours) && minutes.get(..2).is_some_and(is_number) && minutes.len() <= 5
    });
    is_date && is_time
}

#[cfg(test)]
mod tests {
    use super::leave_out;
    use crate::pdf::page::PageLine;

    #[track_caller]
    fn check(pages: &[&str], expected: &[&str]) {
        let line = |text: &str| PageLine { text: text.to_owned(), height: 12.0 };
        let mut read: Vec<(u32, Vec<PageLine>)> =
            pages.iter().map(|page| (1, page.lines().map(line).collect())).collect();
        leave_out(&mut read);
        let left: Vec<String> = read
            .iter()
            .map(|(_, lines)| lines.iter().map(|line| line.text.as_str()).collect::<Vec<_>>().join("\n"))
            .collect();
        assert_eq!(left, expected);
    }

    #[test]
    fn what_a_browser_prints_at_the_edges_is_left_out() {
        check(
            &[
                "11/18/26, 3:02 PM Report\nIt opened in 1931.\nIt is long.\nIt is old.\nfile:///tmp/a/report.html 1/1",
            ],
            &["It opened in 1931.\nIt is long.\nIt is old."],
        );
        check(
            &["18.11.26, 15:02 Report\nhttps://a.example/r 2/3\nIt opened in 1931.\nIt is long.\nIt is old."],
            &["It opened in 1931.\nIt is long.\nIt is old."],
        );
    }

    #[test]
    fn lines_that_most_pages_have_at_their_edge_are_left_out() {
        check(
            &[
                "Annual report\nOne is.\nTwo is.\nThree is.\nPell, page 1",
                "Annual report\nFour is.\nFive is.\nSix.\nPell, page 2",
            ],
            &["One is.\nTwo is.\nThree is.", "Four is.\nFive is.\nSix."],
        );
    }

    #[test]
    fn sentences_stay() {
        for page in [
            "In 1931, it opened.\nIt is long.",
            "https://a.example/r says so.\nIt rose from 1/2 to 3/4.",
            "On 11/18/26, 40 people died.\nPage 5 of the book is lost.",
        ] {
            check(&[page], &[page]);
        }
    }
}
