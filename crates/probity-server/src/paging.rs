//! Lists in pages: a cursor is how many entries came before. Opaque to clients, so any text may come back.

/// No client reads this many pages; beyond it a cursor was made up.
const OFFSET_MAX: usize = 1_000_000;

/// Where a page begins; `None` for a cursor that is not ours.
pub fn offset(cursor: Option<&str>) -> Option<usize> {
    let Some(cursor) = cursor else { return Some(0) };
    let number = cursor.strip_prefix("after-").and_then(|digits| digits.parse().ok());
    number.filter(|offset| *offset <= OFFSET_MAX)
}

/// Cuts `found` to `limit` and gives the cursor of what follows. One more than `limit` was asked for: that one
/// tells whether there is a next page.
pub fn cut_to_page<T>(found: &mut Vec<T>, offset: usize, limit: usize) -> Option<String> {
    let more = found.len() > limit;
    found.truncate(limit);
    more.then(|| format!("after-{}", offset + limit))
}
