//! Dates as pages write them, to `YYYY-MM-DD`. Doubtful ones are none: a wrong date is worse than a missing one.

/// Pages of the web are not older; earlier dates are events that a page reports.
const YEAR_MIN: u32 = 1990;
const YEAR_MAX: u32 = 2100;
/// Longest text parsed.
const DATE_BYTES_MAX: usize = 60;

/// Reads `2024-05-17T08:00:00Z`, `20240517`, `2024/5/17`, `17 May 2024`, `May 17th, 2024`, `Fri, 17 May 2024 …`.
pub fn read(text: &str) -> Option<String> {
    let text = text.trim();
    let text = text.get(..DATE_BYTES_MAX).unwrap_or(text);
    numeric(text).or_else(|| in_words(text))
}

/// A date in the path of an address: `/2024/05/17/` or `/2024-05-17-`.
pub fn in_url(url: &str) -> Option<String> {
    let path = url.split_once("://").map_or(url, |(_, rest)| rest);
    let parts: Vec<&str> =
        path.split(|c: char| !c.is_ascii_digit()).filter(|part| !part.is_empty()).collect();
    parts.windows(3).find_map(|window| match window {
        [year, month, day] if year.len() == 4 && month.len() == 2 && day.len() == 2 => date(year, month, day),
        _ => None,
    })
}

fn numeric(text: &str) -> Option<String> {
    let digits: String = text.chars().take_while(char::is_ascii_digit).collect();
    if digits.len() == 8 || digits.len() == 14 {
        return date(digits.get(..4)?, digits.get(4..6)?, digits.get(6..8)?);
    }
    let mut parts = text.split(|c: char| !c.is_ascii_digit());
    let (year, month, day) = (parts.next()?, parts.next()?, parts.next()?);
    if year.len() == 4 { date(year, month, day) } else { None }
}

fn in_words(text: &str) -> Option<String> {
    let words: Vec<&str> =
        text.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty()).take(8).collect();
    let place = words.iter().position(|word| month(word).is_some())?;
    let month = month(words.get(place)?)?.to_string();
    let number = |place: Option<usize>| place.and_then(|place| words.get(place)).map(|word| day_of(word));
    let before = number(place.checked_sub(1)).flatten();
    let (day, year) = match before {
        Some(day) => (day, words.get(place + 1)?),
        None => (number(Some(place + 1)).flatten()?, words.get(place + 2)?),
    };
    if year.len() == 4 { date(year, &month, &day) } else { None }
}

fn day_of(word: &str) -> Option<String> {
    let digits: String = word.chars().take_while(char::is_ascii_digit).collect();
    let rest = word.get(digits.len()..)?;
    ((1..=2).contains(&digits.len()) && matches!(rest, "" | "st" | "nd" | "rd" | "th")).then_some(digits)
}

fn month(word: &str) -> Option<u32> {
    let lower = word.to_lowercase();
    let start: String = lower.chars().take(3).collect();
    let known = match start.as_str() {
        "jan" | "ene" => 1,
        "feb" | "fév" => 2,
        "mar" | "mär" | "mrz" => 3,
        "apr" | "avr" | "abr" => 4,
        "may" | "mai" | "mag" => 5,
        "jun" | "giu" => 6,
        "jul" | "lug" => 7,
        "aug" | "aoû" | "ago" => 8,
        "sep" | "set" => 9,
        "oct" | "okt" | "ott" => 10,
        "nov" => 11,
        "dec" | "dez" | "déc" | "dic" => 12,
        "jui" if lower.starts_with("juin") => 6,
        "jui" if lower.starts_with("juil") => 7,
        _ => return None,
    };
    Some(known)
}

fn date(year: &str, month: &str, day: &str) -> Option<String> {
    let (year, month, day): (u32, u32, u32) = (year.parse().ok()?, month.parse().ok()?, day.parse().ok()?);
    let leap = year.is_multiple_of(4) && (!year.is_multiple_of(100) || year.is_multiple_of(400));
    let days = match month {
        2 if leap => 29,
        2 => 28,
        4 | 6 | 9 | 11 => 30,
        1..=12 => 31,
        _ => return None,
    };
    let fits = (YEAR_MIN..=YEAR_MAX).contains(&year) && (1..=days).contains(&day);
    fits.then(|| format!("{year:04}-{month:02}-{day:02}"))
}

#[cfg(test)]
mod tests {
    use super::{in_url, read};

    #[test]
    fn every_usual_writing_is_read() {
        for text in [
            "2024-05-17",
            "2024-05-17T08:00:00+02:00",
            "20240517",
            "20240517080000",
            "2024/5/17",
            "17 May 2024",
            "17. Mai 2024",
            "May 17th, 2024",
            "Fri, 17 May 2024 08:00:00 GMT",
            " 17 mai 2024",
            "Published: May 17, 2024 at 8:00",
        ] {
            assert_eq!(read(text).as_deref(), Some("2024-05-17"), "{text}");
        }
        for text in [
            "",
            "yesterday",
            "05/06/2024",
            "2024",
            "2024-13-01",
            "2023-02-29",
            "1815-06-18",
            "May 2024",
            "17 May 24",
        ] {
            assert_eq!(read(text), None, "{text}");
        }
    }

    #[test]
    fn addresses_carry_dates() {
        assert_eq!(in_url("https://example.org/2024/05/17/title").as_deref(), Some("2024-05-17"));
        assert_eq!(in_url("https://example.org/news/2024-05-17-title.html").as_deref(), Some("2024-05-17"));
        assert_eq!(in_url("https://example.org/1234/56/78/"), None);
        assert_eq!(in_url("https://example.org/a/2024/5"), None);
    }
}
