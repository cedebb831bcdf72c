//! Public items that no product code names. The compiler cannot see them: everything public counts as used.
//!
//! Looks at words, not at meaning: an item whose name is common (`new`, `name`) is always found in use.

use std::collections::{BTreeMap, BTreeSet};

use super::sources::{SourceTree, words};

pub const REASONS: &str = "crates/unused-public-items.txt";

pub struct UnusedItems {
    pub items: usize,
    /// `path: name`, without a reason.
    pub unexplained: Vec<String>,
    pub explained: usize,
    /// Reasons for items that are gone, or named by now.
    pub outdated: Vec<String>,
}

/// `reasons` has lines of `path: name: reason`; `#` begins a remark.
pub fn find(tree: &SourceTree, reasons: &str) -> UnusedItems {
    let mut uses: BTreeMap<&str, usize> = BTreeMap::new();
    for file in tree.product() {
        for word in used_words(&file.code) {
            *uses.entry(word).or_default() += 1;
        }
    }
    let reasons: BTreeSet<String> = reasons.lines().filter_map(explained).collect();
    let mut items = 0;
    let mut unused = BTreeSet::new();
    for file in tree.product() {
        for name in public_items(&file.code) {
            items += 1;
            if !uses.contains_key(name) {
                unused.insert(format!("{}: {name}", file.path));
            }
        }
    }
    UnusedItems {
        items,
        unexplained: unused.difference(&reasons).cloned().collect(),
        explained: unused.intersection(&reasons).count(),
        outdated: reasons.difference(&unused).cloned().collect(),
    }
}

/// The item of a line that has a reason.
fn explained(line: &str) -> Option<String> {
    let (path, rest) = line.split_once(": ").filter(|_| !line.starts_with('#'))?;
    let (name, reason) = rest.split_once(": ")?;
    (!reason.trim().is_empty()).then(|| format!("{path}: {name}"))
}

/// Names that a line defines for others.
fn public_items(code: &str) -> impl Iterator<Item = &str> {
    code.lines().filter_map(|line| {
        let item = line.trim_start();
        let rest = item.strip_prefix("pub ").or_else(|| item.strip_prefix("macro_rules! ").map(|_| item))?;
        let mut words = words(rest).peekable();
        while words.next_if(|word| ["async", "unsafe", "extern", "C"].contains(word)).is_some() {}
        match (words.next()?, words.next()?) {
            ("const", "fn") => words.next(),
            (
                "fn" | "struct" | "enum" | "union" | "trait" | "type" | "const" | "static" | "macro_rules",
                name,
            ) => Some(name),
            _ => None,
        }
    })
}

/// Words of code besides definitions, re-exports and what `impl` blocks are for.
fn used_words(code: &str) -> impl Iterator<Item = &str> {
    let mut in_export = false;
    let lines = code.lines().map(move |line| {
        let line = line.trim_start();
        in_export |= line.starts_with("pub use ");
        let is_export = in_export;
        in_export &= !line.contains(';');
        match line.strip_prefix("impl<").map(|rest| rest.split_once("> ")) {
            _ if is_export || line.starts_with("impl ") => "",
            // The bounds are uses; the trait and the type are not.
            Some(bounds) => bounds.unwrap_or_default().0,
            None => line,
        }
    });
    lines.flat_map(|line| {
        let mut before = "";
        words(line).filter(move |word| {
            let defines =
                ["fn", "struct", "enum", "union", "trait", "type", "const", "static", "macro_rules", "mod"];
            let is_definition = defines.contains(&before);
            before = word;
            !is_definition
        })
    })
}

#[cfg(test)]
mod tests {
    use super::{public_items, used_words};

    #[test]
    fn definitions_and_exports_are_no_uses() {
        let code = "pub const fn a() {}\npub use b::{C,\n  D};\nimpl C {\n  pub async fn e(&self) -> F { a(g) }\n}\npub const H: u8 = 1;";
        assert_eq!(public_items(code).collect::<Vec<_>>(), ["a", "e", "H"]);
        let used: Vec<&str> = used_words(code).filter(|word| word.len() == 1).collect();
        assert_eq!(used, ["F", "a", "g", "1"]);
    }
}
