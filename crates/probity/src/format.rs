//! Spans of time, moments and counts as people write and read them.

use std::time::Duration;

use probity_research::time::Moment;

/// Reads `20m`, `1h30m`, `90s`, `7d`. A bare number is refused: its unit would be a guess.
pub fn parse_span(text: &str) -> Option<Duration> {
    let mut rest = text.trim();
    let mut total = Duration::ZERO;
    let mut last_unit = u64::MAX;
    while !rest.is_empty() {
        let digits = rest.bytes().take_while(u8::is_ascii_digit).count();
        let (number, tail) = rest.split_at_checked(digits)?;
        let unit: u64 = match tail.chars().next()? {
            'd' => 86_400,
            'h' => 3_600,
            'm' => 60,
            's' => 1,
            _ => return None,
        };
        if unit >= last_unit {
            return None;
        }
        last_unit = unit;
        let seconds = number.parse::<u64>().ok()?.checked_mul(unit)?;
        total = total.checked_add(Duration::from_secs(seconds))?;
        rest = tail.get(1..)?;
    }
    (total > Duration::ZERO).then_some(total)
}

/// `45 s`, `3 min 20 s`, `1 h 05 min`.
pub fn span(duration: Duration) -> String {
    let seconds = duration.as_secs();
    match seconds {
        0..60 => format!("{seconds} s"),
        60..3_600 if seconds.is_multiple_of(60) => format!("{} min", seconds / 60),
        60..3_600 => format!("{} min {:02} s", seconds / 60, seconds % 60),
        _ if seconds % 3_600 < 60 => format!("{} h", seconds / 3_600),
        _ => format!("{} h {:02} min", seconds / 3_600, seconds % 3_600 / 60),
    }
}

/// `02:05`, `1:02:05`: for a line that is redrawn.
pub fn timer(duration: Duration) -> String {
    let seconds = duration.as_secs();
    match seconds / 3_600 {
        0 => format!("{:02}:{:02}", seconds / 60, seconds % 60),
        hours => format!("{hours}:{:02}:{:02}", seconds % 3_600 / 60, seconds % 60),
    }
}

/// `3 searches`, `1 page`.
pub fn count(number: u64, one: &str, many: &str) -> String {
    format!("{number} {}", if number == 1 { one } else { many })
}

/// How long ago, in one rough unit: a list is read at a glance.
pub fn ago(now: Moment, then: Moment) -> String {
    let seconds = now.since_ms(then) / 1_000;
    match seconds {
        0..60 => "just now".to_owned(),
        60..3_600 => format!("{} min ago", seconds / 60),
        3_600..86_400 => format!("{} h ago", seconds / 3_600),
        _ => format!("{} ago", count(seconds / 86_400, "day", "days")),
    }
}

/// `12.3 GiB`, `640 KiB`.
pub fn bytes(number: u64) -> String {
    const UNITS: [&str; 5] = ["bytes", "KiB", "MiB", "GiB", "TiB"];
    let mut amount = number as f64;
    let mut unit = 0;
    while amount >= 1024.0 && unit + 1 < UNITS.len() {
        amount /= 1024.0;
        unit += 1;
    }
    let name = UNITS.get(unit).copied().unwrap_or("bytes");
    if unit == 0 { format!("{number} {name}") } else { format!("{amount:.1} {name}") }
}

/// Breaks each line between words so that it fits; what follows is indented by `hang`, or as far as its line is.
/// A word longer than the line stays whole: an id or an address must be copied in one piece.
pub fn wrap(text: &str, columns: usize, hang: usize) -> String {
    text.split('\n').map(|line| wrapped(line, columns, hang)).collect::<Vec<_>>().join("\n")
}

fn wrapped(line: &str, columns: usize, hang: usize) -> String {
    let lead: String = line.chars().take_while(|character| *character == ' ').collect();
    let hang = hang.max(lead.len());
    let mut wrapped = lead.clone();
    let mut used = lead.len();
    let mut at_start = true;
    for word in line.trim_start_matches(' ').split(' ') {
        let size = visible_width(word);
        if !at_start && used + 1 + size > columns {
            wrapped.push('\n');
            wrapped.push_str(&" ".repeat(hang));
            used = hang;
        } else if !at_start {
            wrapped.push(' ');
            used += 1;
        }
        wrapped.push_str(word);
        used += size;
        at_start = false;
    }
    wrapped
}

/// As much of a line as fits, with an ellipsis where something was cut.
pub fn fit(line: &str, columns: usize) -> String {
    if visible_width(line) <= columns {
        return line.to_owned();
    }
    let mut used = 1;
    let mut in_colour = false;
    let kept = line.chars().take_while(|character| {
        match character {
            '\u{1b}' => in_colour = true,
            'm' if in_colour => in_colour = false,
            _ if in_colour => {}
            _ => used += width(*character),
        }
        used <= columns
    });
    kept.chain(['…']).collect()
}

/// Columns of one character. Counts a few narrow ones as wide, which only cuts a line earlier.
fn width(character: char) -> usize {
    match character {
        '\u{2000}'..='\u{2BFF}' => 1,
        '\u{1100}'.. => 2,
        _ => 1,
    }
}

/// Columns that a word takes on the screen; colours and addresses behind clickable signs take none.
pub fn visible_width(word: &str) -> usize {
    let mut count = 0;
    let mut letters = word.chars().peekable();
    while let Some(character) = letters.next() {
        match (character, letters.peek()) {
            ('\u{1b}', Some('[')) => while letters.next().is_some_and(|letter| letter != 'm') {},
            ('\u{1b}', Some(']')) => while letters.next().is_some_and(|letter| letter != '\\') {},
            ('\u{1b}', _) => {}
            _ => count += width(character),
        }
    }
    count
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::{bytes, fit, parse_span, span, timer, wrap};

    #[test]
    fn spans_are_read_with_their_unit_only() {
        let read = |text| parse_span(text).map(|span| span.as_secs());
        assert_eq!(read("20m"), Some(1_200));
        assert_eq!(read("1h30m"), Some(5_400));
        assert_eq!(read(" 90s "), Some(90));
        for refused in ["", "20", "m", "20x", "1m1h", "1m1m", "-5m", "0s", "99999999999999999999h"] {
            assert_eq!(read(refused), None, "{refused}");
        }
    }

    #[test]
    fn lines_break_between_words_and_colours_take_no_room() {
        assert_eq!(wrap("  cost   one two three", 14, 9), "  cost   one\n         two\n         three");
        assert_eq!(wrap("\u{1b}[1mfive\u{1b}[0m and six", 12, 2), "\u{1b}[1mfive\u{1b}[0m and six");
        let link = "\u{1b}]8;;https://example.org/a/long/address\u{1b}\\[1]\u{1b}]8;;\u{1b}\\";
        assert_eq!(wrap(&format!("one{link} two"), 12, 2), format!("one{link} two"));
        assert_eq!(wrap("short averyverylongword", 10, 2), "short\n  averyverylongword");
    }

    #[test]
    fn a_line_is_cut_where_the_screen_ends() {
        assert_eq!(fit("searching", 9), "searching");
        assert_eq!(fit("searching", 8), "searchi…");
        assert_eq!(fit("日本語の資料", 7), "日本語…");
    }

    #[test]
    fn spans_are_shown_as_people_say_them() {
        let shown = [3, 60, 200, 3_600, 3_930].map(|seconds| span(Duration::from_secs(seconds)));
        assert_eq!(shown, ["3 s", "1 min", "3 min 20 s", "1 h", "1 h 05 min"]);
        assert_eq!(timer(Duration::from_secs(3_725)), "1:02:05");
        assert_eq!(bytes(1_536), "1.5 KiB");
    }
}
