//! Dates as providers write them, and whether a result lies between two days.

use probity_types::time::Moment;

const MONTHS: [&str; 12] =
    ["jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"];

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum FilterMatch {
    Inside,
    Outside,
    /// No date, or one that is too coarse to decide.
    Unknown,
}

/// `YYYY-MM-DD`, or as much of it as the text says.
pub(super) fn read(text: &str) -> Option<String> {
    let text = text.trim();
    numbers(text).or_else(|| named(text))
}

/// `2026-01-31T…`, `2026/01/31 …`, `2026-01`, `2026`.
fn numbers(text: &str) -> Option<String> {
    let day: String = text.chars().take(10).map(|c| if c == '/' { '-' } else { c }).collect();
    if Moment::of_date(&day).is_some() {
        return Some(day);
    }
    let year = text.get(..4).filter(|year| year.bytes().all(|byte| byte.is_ascii_digit()))?;
    match text.len() {
        4 => Some(year.to_owned()),
        7 => Moment::of_date(&format!("{day}-01")).map(|_| day),
        _ => None,
    }
}

/// `Tue, 12 Nov 2024 10:00:00 GMT`, `12 November 2024`, `November 12, 2024`, `2024 Nov 12`.
fn named(text: &str) -> Option<String> {
    let words = text.split(|c: char| !c.is_ascii_alphanumeric()).filter(|word| !word.is_empty()).take(6);
    let (mut year, mut month, mut day) = (None, None, None);
    for word in words {
        let start = word.get(..3).map(str::to_ascii_lowercase);
        let place = start.and_then(|start| MONTHS.iter().position(|known| *known == start));
        match (word.parse::<u16>(), place) {
            (Ok(number), _) if word.len() == 4 => year = year.or(Some(number)),
            (Ok(number), _) if word.len() <= 2 => day = day.or(Some(number)),
            (Err(_), Some(place)) => month = month.or(Some(place + 1)),
            _ => {}
        }
    }
    let date = format!("{:04}-{:02}-{:02}", year?, month?, day?);
    Moment::of_date(&date).map(|_| date)
}

/// Whether a date as `read` gives it lies between two days, both included.
pub(super) fn fit(published: Option<&str>, after: Option<&str>, before: Option<&str>) -> FilterMatch {
    let Some(date) = published.filter(|date| date.starts_with(|c: char| c.is_ascii_digit())) else {
        return FilterMatch::Unknown;
    };
    // A year or a month stands for all of its days.
    let earliest = format!("{date}{}", "0000-01-01".get(date.len()..).unwrap_or_default());
    let latest = format!("{date}{}", "0000-12-31".get(date.len()..).unwrap_or_default());
    let too_early = after.is_some_and(|after| latest.as_str() < after);
    let too_late = before.is_some_and(|before| earliest.as_str() > before);
    let surely_late_enough = after.is_none_or(|after| earliest.as_str() >= after);
    let surely_early_enough = before.is_none_or(|before| latest.as_str() <= before);
    match (too_early || too_late, surely_late_enough && surely_early_enough) {
        (true, _) => FilterMatch::Outside,
        (false, true) => FilterMatch::Inside,
        (false, false) => FilterMatch::Unknown,
    }
}

#[cfg(test)]
mod tests {
    use super::{FilterMatch, fit, read};

    #[test]
    fn dates_are_read_as_providers_write_them() {
        let check =
            |text: &str, expected: Option<&str>| assert_eq!(read(text).as_deref(), expected, "{text}");
        check("2026-01-31", Some("2026-01-31"));
        check("2026-01-31T10:00:00.000Z", Some("2026-01-31"));
        check("2026/01/31 00:00", Some("2026-01-31"));
        check("Tue, 12 Nov 2024 10:00:00 GMT", Some("2024-11-12"));
        check("November 3, 2024", Some("2024-11-03"));
        check("2024 Nov 12", Some("2024-11-12"));
        check("2024", Some("2024"));
        check("2024-11", Some("2024-11"));
        for nothing in ["", "3 days ago", "2026-13-45", "2024-99", "31 Feb 2024", "äöü", "20245", "\u{0}"]
        {
            check(nothing, None);
        }
    }

    #[test]
    fn a_coarse_date_decides_only_what_it_can() {
        let (after, before) = (Some("2024-06-01"), Some("2024-12-31"));
        let check = |date: Option<&str>, expected| assert_eq!(fit(date, after, before), expected, "{date:?}");
        check(Some("2024-06-01"), FilterMatch::Inside);
        check(Some("2024-12-31"), FilterMatch::Inside);
        check(Some("2024-05-31"), FilterMatch::Outside);
        check(Some("2025-01-01"), FilterMatch::Outside);
        check(Some("2024-07"), FilterMatch::Inside);
        check(Some("2024"), FilterMatch::Unknown);
        check(Some("2023"), FilterMatch::Outside);
        check(Some("yesterday"), FilterMatch::Unknown);
        check(None, FilterMatch::Unknown);
        assert_eq!(fit(Some("2024"), None, None), FilterMatch::Inside);
    }
}
