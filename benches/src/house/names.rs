//! What types are called, and whether documents name things that exist.

use std::collections::{BTreeMap, BTreeSet};

use super::sources::{SourceFile, SourceRole, SourceTree, words};

/// Participles that do not end in `ed`; those that are common nouns too (`Cut`, `Set`, `Thought`) are not here.
const IRREGULAR: &str = "Begun Born Bought Brought Built Caught Chosen Done Drawn Driven Fallen Felt Forgotten Found \
    Given Gone Grown Heard Held Hidden Kept Known Laid Left Lent Lost Made Meant Met Paid Said Seen Sent Shown Sold \
    Sought Spent Spoken Stolen Stood Stuck Taken Taught Thrown Told Torn Understood Woken Won Written";

const NOUNS: &str = "Bed Embed Feed Need Seed Shed Speed";

#[derive(Clone, Copy)]
pub struct TypeName<'tree> {
    pub name: &'tree str,
    pub path: &'tree str,
    pub crate_folder: &'tree str,
    pub is_visible: bool,
}

/// Every struct, enum, trait, union and alias outside tests. Associated types have no name of their own.
pub fn types(tree: &SourceTree) -> Vec<TypeName<'_>> {
    let files = tree.files.iter().filter(|file| file.role != SourceRole::Test);
    files.flat_map(|file| file.code.lines().filter_map(|line| type_of(file, line))).collect()
}

fn type_of<'tree>(file: &'tree SourceFile, line: &'tree str) -> Option<TypeName<'tree>> {
    let item = line.trim_start();
    let is_visible = item.starts_with("pub");
    let item = ["pub ", "pub(crate) ", "pub(super) "]
        .iter()
        .find_map(|start| item.strip_prefix(start))
        .unwrap_or(item);
    let (kind, rest) = item.split_once(' ')?;
    let is_type = ["struct", "enum", "trait", "union"].contains(&kind)
        || (kind == "type" && (is_visible || !line.starts_with(' ')));
    let name = words(rest).next().filter(|name| is_type && name.starts_with(char::is_uppercase))?;
    Some(TypeName { name, path: &file.path, crate_folder: file.crate_folder(), is_visible })
}

/// Names of one word that say what was done and not what the thing is.
pub fn participles(types: &[TypeName<'_>]) -> Vec<String> {
    let is_participle = |name: &str| {
        let is_one_word = name.chars().filter(|letter| letter.is_uppercase()).count() == 1;
        is_one_word
            && (words(IRREGULAR).any(|known| known == name)
                || (name.ends_with("ed") && words(NOUNS).all(|noun| noun != name)))
    };
    let found = types.iter().filter(|known| is_participle(known.name));
    found.map(|known| format!("{} ({})", known.name, known.path)).collect()
}

/// Visible names that a crate defines more than once.
pub fn twice_in_a_crate(types: &[TypeName<'_>]) -> Vec<String> {
    let mut places: BTreeMap<(&str, &str), BTreeSet<&str>> = BTreeMap::new();
    for known in types.iter().filter(|known| known.is_visible) {
        places.entry((known.crate_folder, known.name)).or_default().insert(known.path);
    }
    let twice = places.into_iter().filter(|(_, paths)| paths.len() > 1);
    twice.map(|((folder, name), _)| format!("{name} ({folder})")).collect()
}

/// Visible names that more than one of these crates defines. Each crate has its `Error`.
pub fn shared(types: &[TypeName<'_>], folders: &[&str]) -> Vec<String> {
    let mut crates: BTreeMap<&str, BTreeSet<&str>> = BTreeMap::new();
    for known in types.iter().filter(|known| known.is_visible && known.name != "Error") {
        if folders.contains(&known.crate_folder) {
            crates.entry(known.name).or_default().insert(known.crate_folder);
        }
    }
    crates.into_iter().filter(|(_, crates)| crates.len() > 1).map(|(name, _)| name.to_owned()).collect()
}

/// Names and paths between backquotes, outside examples, that nothing in the repository has. `paths` have a slash at both
/// ends.
pub fn unknown_names(document: &str, known: &BTreeSet<&str>, paths: &[String]) -> Vec<String> {
    let prose = document.split("\n```").step_by(2);
    let spans = prose.flat_map(|text| text.split('`').skip(1).step_by(2));
    // What has a space is a command or a phrase; what has `…`, `*` or `<` stands for many.
    let names = spans.filter(|span| !span.contains([' ', '…', '*', '\n', '<']) && !span.is_empty());
    names.filter(|name| !exists(name, known, paths)).map(str::to_owned).collect()
}

fn exists(name: &str, known: &BTreeSet<&str>, paths: &[String]) -> bool {
    let ends = [".rs", ".md", ".toml", ".json", ".py", ".mjs", ".sh"];
    let is_file = !name.starts_with('.') && ends.iter().any(|end| name.ends_with(end));
    let is_number = |word: &str| word.starts_with(|first: char| first.is_ascii_digit());
    // Media types and references have a slash too.
    if !is_file && words(name).all(|word| is_number(word) || known.contains(word)) {
        return true;
    }
    // `NAME` is a file that the reader is about to write: its folder has to exist.
    let place = name.split("NAME").next().unwrap_or_default().trim_matches('/');
    (is_file || name.contains('/')) && paths.iter().any(|path| path.contains(&format!("/{place}/")))
}

#[cfg(test)]
mod tests {
    use super::{TypeName, participles, shared, twice_in_a_crate, unknown_names};

    #[test]
    fn names_that_tell_nothing_or_two_things_are_found() {
        let of = |name, crate_folder, path| TypeName { name, path, crate_folder, is_visible: true };
        let types = [of("Kept", "a", "1"), of("Seed", "a", "2"), of("Seed", "a", "3"), of("Seed", "b", "4")];
        assert_eq!(participles(&types), ["Kept (1)"]);
        assert_eq!(twice_in_a_crate(&types), ["Seed (a)"]);
        assert_eq!(shared(&types, &["a", "b"]), ["Seed"]);
    }

    #[test]
    fn names_in_documents_exist_or_are_told() {
        let words = ["next_step", "Event"].into();
        let paths = ["/crates/a/src/plan.rs/".to_owned()];
        let text = "`next_step(Event)` `Desk` `plan.rs` `src/NAME.rs` `src/gone.rs` `crates/a`\n```\n`Other`\n```\n`just run`";
        assert_eq!(unknown_names(text, &words, &paths), ["Desk", "src/gone.rs"]);
    }
}
