//! Files of a crate that import each other in a circle: none of them can be understood, tested or moved alone.

use std::collections::{BTreeMap, BTreeSet};

use super::sources::{SourceRole, SourceTree};

/// Modules of a crate, by their path, and the modules that each names.
type ImportGraph = BTreeMap<String, BTreeSet<String>>;

/// The files of a crate that are part of a circle, in order.
pub fn files_in_circles(tree: &SourceTree, crate_folder: &str) -> Vec<String> {
    let source = format!("{crate_folder}/src/");
    let code = tree.files.iter().filter(|file| file.role != SourceRole::Test).filter_map(|file| {
        let inside = file.path.strip_prefix(&source)?.strip_suffix(".rs")?;
        Some((inside.replace('/', "::"), file.code.as_str()))
    });
    let circles = modules_in_circles(&code.collect());
    circles.iter().map(|module| format!("{source}{}.rs", module.replace("::", "/"))).collect()
}

fn modules_in_circles(modules: &BTreeMap<String, &str>) -> Vec<String> {
    let edges = modules.iter().map(|(module, code)| {
        let owners = named_paths(module, code).into_iter().filter_map(|path| owner(modules, path));
        (module.clone(), owners.filter(|owner| owner != module).collect())
    });
    let graph: ImportGraph = edges.collect();
    modules.keys().filter(|module| reaches_itself(&graph, module)).cloned().collect()
}

/// The file that an item lives in: the longest part of its path that is a module.
fn owner(modules: &BTreeMap<String, &str>, mut path: String) -> Option<String> {
    while !modules.contains_key(&path) {
        path.truncate(path.rfind("::")?);
    }
    Some(path)
}

fn reaches_itself(graph: &ImportGraph, start: &String) -> bool {
    let mut seen = BTreeSet::new();
    let mut open = vec![start];
    while let Some(module) = open.pop() {
        open.extend(graph.get(module).into_iter().flatten().filter(|next| seen.insert(*next)));
    }
    seen.contains(start)
}

/// Paths from the root of the crate that a module's code names, in imports or in passing.
fn named_paths(module: &str, code: &str) -> Vec<String> {
    let mut found = Vec::new();
    for start in ["crate::", "super::", "self::"] {
        for (place, _) in code.match_indices(start) {
            let (before, rest) = code.split_at(place);
            if !before.ends_with(|letter: char| letter.is_alphanumeric() || "_:$".contains(letter)) {
                read_tree(rest, "", &mut found);
            }
        }
    }
    found.iter().map(|path| from_root(module, path)).collect()
}

/// Reads `a::b::{c, d::e}` and returns what follows it.
fn read_tree<'code>(code: &'code str, prefix: &str, found: &mut Vec<String>) -> &'code str {
    let end = code.find(|letter: char| !letter.is_alphanumeric() && !"_:".contains(letter));
    let (path, rest) = code.split_at(end.unwrap_or(code.len()));
    let path = format!("{prefix}{path}");
    let Some(inside) = rest.strip_prefix('{').filter(|_| path.ends_with("::")) else {
        found.push(path);
        return rest;
    };
    let mut items = inside.trim_start();
    while !items.is_empty() && !items.starts_with('}') {
        let after = read_tree(items, &path, found);
        // Also past `as name`.
        let end = after.find([',', '}']).unwrap_or(after.len());
        items = after.split_at(end).1.trim_start_matches(',').trim_start();
    }
    items.strip_prefix('}').unwrap_or(items)
}

fn from_root(module: &str, path: &str) -> String {
    let mut at: Vec<&str> = module.split("::").filter(|part| !["lib", "main"].contains(part)).collect();
    for segment in path.split("::") {
        match segment {
            "crate" => at.clear(),
            "super" => drop(at.pop()),
            "self" => {}
            name => at.push(name),
        }
    }
    at.join("::")
}

#[cfg(test)]
mod tests {
    use super::{modules_in_circles, named_paths};

    #[test]
    fn imports_are_read_as_trees_and_in_passing() {
        let code = "use crate::{a::{B, c as d}, e};\nuse super::f::{self, G};\nlet x = crate::h::I { j };";
        let expected = ["a::B", "a::c", "e", "h::I", "m::f", "m::f::G"];
        assert_eq!(named_paths("m::n", code), expected);
    }

    #[test]
    fn a_circle_is_found_and_a_line_is_not() {
        let modules =
            [("a", "use crate::b::X;"), ("b", "crate::c::y()"), ("c", "use super::a;"), ("d", "crate::a")];
        let modules = modules.map(|(name, code)| (name.to_owned(), code)).into();
        assert_eq!(modules_in_circles(&modules), ["a", "b", "c"]);
    }
}
