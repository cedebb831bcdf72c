//! Addresses as they are meant: Markdown and HTML write `&` as `&amp;`.

/// An entity is not longer.
const ENTITY_BYTES_MAX: usize = 10;

/// The address with its entities resolved; what is no entity stays.
pub fn resolved(address: &str) -> String {
    let mut found = String::with_capacity(address.len());
    let mut rest = address;
    while let Some(at) = rest.find('&') {
        found.push_str(rest.get(..at).unwrap_or_default());
        let from = rest.get(at..).unwrap_or_default();
        let end = from.bytes().take(ENTITY_BYTES_MAX).position(|byte| byte == b';');
        let meant = end.and_then(|end| character(from.get(1..end)?));
        let taken = end.filter(|_| meant.is_some()).map_or(1, |end| end + 1);
        found.push(meant.unwrap_or('&'));
        rest = from.get(taken..).unwrap_or_default();
    }
    found.push_str(rest);
    found
}

/// The character that a name or a number between `&` and `;` stands for.
fn character(name: &str) -> Option<char> {
    let found = match name {
        "amp" | "AMP" => '&',
        "lt" => '<',
        "gt" => '>',
        "quot" => '"',
        "apos" => '\'',
        _ => {
            let number = name.strip_prefix('#')?;
            let code = match number.strip_prefix(['x', 'X']) {
                Some(digits) => u32::from_str_radix(digits, 16),
                None => number.parse(),
            };
            char::from_u32(code.ok()?)?
        }
    };
    (!found.is_whitespace() && !found.is_control()).then_some(found)
}

#[cfg(test)]
mod tests {
    use super::resolved;

    #[test]
    fn entities_are_resolved_and_parameters_stay() {
        for (written, meant) in [
            ("http://a.example/?a=1&amp;b=2", "http://a.example/?a=1&b=2"),
            ("http://a.example/?a=1&#38;b=2&#x26;c", "http://a.example/?a=1&b=2&c"),
            ("http://a.example/?a=1&b=2&copy=3&", "http://a.example/?a=1&b=2&copy=3&"),
            ("http://a.example/?a=1&#0;&#10;&;é&é;", "http://a.example/?a=1&#0;&#10;&;é&é;"),
        ] {
            assert_eq!(resolved(written), meant);
        }
    }
}
