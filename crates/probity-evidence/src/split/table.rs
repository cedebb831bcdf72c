//! A row of a table as a sentence: every cell with the header of its column, so that it can stand alone.

use super::plain;
use crate::citations::CitationMark;

/// Columns of one table that are read; a wider one is data.
const COLUMNS_MAX: usize = 60;

/// The plain words of each cell of a row, empty ones included.
pub fn cells(text: &str, start: usize, end: usize, marks: &[CitationMark]) -> Vec<String> {
    let own = super::marks_within(marks, start, end);
    let mut mark = own.iter().peekable();
    let mut found = Vec::new();
    let row = text.get(start..end).unwrap_or_default();
    let lead = row.len() - row.trim_start().trim_start_matches('|').len();
    let mut open = start + lead;
    let mut at = open;
    while let Some(c) = text.get(at..end).and_then(|rest| rest.chars().next()) {
        while mark.next_if(|mark| mark.end <= at).is_some() {}
        if let Some(inside) = mark.peek().filter(|mark| mark.start <= at) {
            at = inside.end.max(at + c.len_utf8());
            continue;
        }
        let behind = at + c.len_utf8();
        if c == '\\' && text.get(behind..end).is_some_and(|rest| rest.starts_with('|')) {
            at = behind + 1;
            continue;
        }
        if c == '|' && found.len() < COLUMNS_MAX {
            found.push(plain::plain(text, open, at, own));
            open = behind;
        }
        at = behind;
    }
    if open < end {
        found.push(plain::plain(text, open, end, own));
    }
    found
}

/// The words of a row under these headers, and the headers that stand in them. None if the table has no headers.
pub fn row(cells: &[String], headers: &[String]) -> Option<(String, Vec<String>)> {
    if headers.iter().all(String::is_empty) {
        return None;
    }
    let mut words: Vec<String> = Vec::new();
    let mut columns = Vec::new();
    for (place, cell) in cells.iter().enumerate() {
        let header =
            headers.get(place).map(|header| header.trim_end_matches([':', '：', ' '])).unwrap_or_default();
        let says = |text: &str| text.chars().any(char::is_alphanumeric);
        if !says(cell) {
            continue;
        }
        if header.is_empty() {
            words.push(cell.clone());
            continue;
        }
        let (name, unit) = unit_of(header);
        let wants_unit = cell.chars().last().is_some_and(char::is_numeric);
        let (name, unit) = if wants_unit { (name, unit) } else { (header, None) };
        let space = if unit.is_some() { " " } else { "" };
        words.push(format!("{name}: {cell}{space}{}", unit.unwrap_or_default()));
        columns.push(name.to_owned());
    }
    Some((words.join("; "), columns))
}

/// `Revenue (million euros)`: the name of a column and the unit of its figures.
pub fn unit_of(header: &str) -> (&str, Option<&str>) {
    /// A longer remark is no unit.
    const UNIT_BYTES_MAX: usize = 40;
    let inside = header.strip_suffix([')', '）', ']']).and_then(|rest| rest.rsplit_once(['(', '（', '[']));
    match inside {
        Some((name, unit))
            if !name.trim().is_empty()
                && !unit.trim().is_empty()
                && unit.len() <= UNIT_BYTES_MAX
                && !unit.contains(char::is_numeric)
                && unit.split_whitespace().count() <= 4 =>
        {
            (name.trim_end(), Some(unit.trim()))
        }
        _ => (header, None),
    }
}

#[cfg(test)]
mod tests {
    use super::row;

    #[track_caller]
    fn check(headers: &str, cells: &str, expected: &str) {
        let list = |text: &str| text.split('|').map(|cell| cell.trim().to_owned()).collect::<Vec<_>>();
        assert_eq!(row(&list(cells), &list(headers)).map(|(words, _)| words).unwrap_or_default(), expected);
    }

    #[test]
    fn every_cell_has_its_header_and_its_unit() {
        check("Region|Hospitals", "Tarn|52", "Region: Tarn; Hospitals: 52");
        check("Firma|Umsatz (Mio. Euro)", "Acme|180", "Firma: Acme; Umsatz: 180 Mio. Euro");
        check("Pays|Part (%)|Source", "Norvège|31|", "Pays: Norvège; Part: 31 %");
        check("地区|人口（万人）", "甲|120", "地区: 甲; 人口: 120 万人");
        check("Year|Price (2020)", "1998|40", "Year: 1998; Price (2020): 40");
        check("|Share", "Solar|12 %", "Solar; Share: 12 %");
        check("", "Solar|12 %", "");
    }
}
