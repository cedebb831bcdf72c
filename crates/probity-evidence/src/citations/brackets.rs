//! Which brackets belong together in a block, and the address between those of a link.

use super::BRACKET_BYTES_MAX;
use crate::hash::QuickMap;

/// Longest address of a link, with its title.
const DESTINATION_BYTES_MAX: usize = 2 * BRACKET_BYTES_MAX;

/// Which bracket closes which, found in one pass over a block: a text of nothing but opening brackets must not
/// be searched anew from each of them.
pub struct BracketPairs {
    /// Where the bracket that opens at the key closes.
    square: QuickMap<usize, usize>,
    round: QuickMap<usize, usize>,
}

impl BracketPairs {
    pub fn of(text: &str, start: usize, end: usize) -> Self {
        let mut pairs = Self { square: QuickMap::default(), round: QuickMap::default() };
        let mut square: Vec<(usize, bool)> = Vec::new();
        let mut round: Vec<usize> = Vec::new();
        let mut is_escaped = false;
        for (offset, c) in text.get(start..end).unwrap_or_default().char_indices() {
            let at = start + offset;
            let was_escaped = std::mem::take(&mut is_escaped);
            match c {
                '(' => round.push(at),
                ')' => {
                    if let Some(open) = round.pop() {
                        pairs.round.insert(open, at);
                    }
                }
                '[' | '【' | '［' => square.push((at, was_escaped)),
                // `\]` closes all the same: models escape one of the two.
                ']' | '】' | '］' if !was_escaped || c == ']' => {
                    // An escaped bracket opens only for whoever begins to read at it.
                    while let Some((open, is_only_own)) = square.pop() {
                        pairs.square.insert(open, at);
                        if !is_only_own {
                            break;
                        }
                    }
                }
                '\\' => is_escaped = !was_escaped,
                _ => {}
            }
        }
        pairs
    }

    /// The inside of brackets that open at `at`, and the place after them.
    pub fn between(&self, text: &str, at: usize) -> Option<((usize, usize), usize)> {
        let close = self.square.get(&at).copied().filter(|close| close - at <= BRACKET_BYTES_MAX)?;
        let width = |place: usize| text.get(place..)?.chars().next().map(char::len_utf8);
        Some(((at + width(at)?, close), close + width(close)?))
    }
}

/// `(address "title")` directly at `at`: the address and the place after it.
pub fn destination(text: &str, at: usize, pairs: &BracketPairs) -> Option<(String, usize)> {
    let rest = text.get(at..)?.strip_prefix('(')?;
    let close = pairs.round.get(&at)? - at - 1;
    if close > DESTINATION_BYTES_MAX
        || rest.as_bytes().get(BRACKET_BYTES_MAX + 1..close).is_some_and(|far| far.contains(&b'\n'))
    {
        return None;
    }
    let inside = rest.get(..close)?.trim();
    let address = match inside.strip_prefix('<').and_then(|inside| inside.split_once('>')) {
        Some((address, _)) => address,
        None => inside.split_whitespace().next().unwrap_or_default(),
    };
    Some((super::escapes::resolved(address), at + 1 + close + 1))
}
