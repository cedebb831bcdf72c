//! The house rules that a machine can keep: edges between our crates, doors, headers, sizes.

use std::{
    collections::{BTreeMap, BTreeSet},
    fs,
    path::{Path, PathBuf},
};

/// Who may depend on a library that opens a door. Benches compare with the bare library and are free.
const DOORS: &[(&str, &[&str])] = &[
    ("rusqlite", &["probity-store"]),
    ("reqwest", &["probity-models", "probity-fleet", "probity-store", "probity-telemetry"]),
];

/// Whose tests need one all the same: the guard of the web is held against a client without a guard.
const DOORS_IN_TESTS: &[(&str, &str)] = &[("reqwest", "probity-web")];

/// Past this a file has a second job.
const LINES_MAX: usize = 600;

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").canonicalize().unwrap()
}

/// Names of the crates under `crates/`, with the tables of their manifests.
fn crates() -> Vec<(String, toml::Table)> {
    let mut found: Vec<(String, toml::Table)> = fs::read_dir(root().join("crates"))
        .unwrap()
        .flatten()
        .filter_map(|entry| {
            let manifest = fs::read_to_string(entry.path().join("Cargo.toml")).ok()?;
            Some((entry.file_name().into_string().unwrap(), manifest.parse().unwrap()))
        })
        .collect();
    found.sort_by(|left, right| left.0.cmp(&right.0));
    found
}

fn names(manifest: &toml::Table, section: &str) -> BTreeSet<String> {
    let table = manifest.get(section).and_then(toml::Value::as_table);
    table.map(|table| table.keys().cloned().collect()).unwrap_or_default()
}

/// Which of our crates each may use.
enum AllowedEdges {
    All,
    Only(BTreeSet<String>),
}

/// The column "may use (ours)" of the table of crates in ARCHITECTURE.md. A new edge is a design change: it is made there.
fn allowed_edges() -> BTreeMap<String, AllowedEdges> {
    let text = fs::read_to_string(root().join("ARCHITECTURE.md")).unwrap();
    let rows = text.lines().filter(|line| line.starts_with("| `probity"));
    let edges: BTreeMap<String, AllowedEdges> = rows
        .map(|row| {
            let cells: Vec<&str> = row.split('|').map(str::trim).collect();
            let (name, may_use) = (cells[1].trim_matches('`').to_owned(), cells[3]);
            // "all; the simulator for one command alone": what follows a semicolon is a remark.
            let allowed = match may_use.split(';').next().unwrap().trim() {
                "all" => AllowedEdges::All,
                "nothing" => AllowedEdges::Only(BTreeSet::new()),
                list => AllowedEdges::Only(list.split(',').map(crate_name).collect()),
            };
            (name, allowed)
        })
        .collect();
    assert!(edges.len() >= 10, "the table of crates in ARCHITECTURE.md was not understood");
    edges
}

/// The table leaves out the prefix that all our crates share.
fn crate_name(cell: &str) -> String {
    let short = cell.trim().trim_matches('`');
    if short.starts_with("probity") { short.to_owned() } else { format!("probity-{short}") }
}

#[test]
fn crates_use_only_what_the_table_allows() {
    let edges = allowed_edges();
    for (name, manifest) in crates() {
        let allowed = match edges.get(&name) {
            Some(AllowedEdges::All) => continue,
            Some(AllowedEdges::Only(allowed)) => allowed,
            None => panic!("{name} is not in the table of crates in ARCHITECTURE.md"),
        };
        let mut used = names(&manifest, "dependencies");
        used.extend(names(&manifest, "build-dependencies"));
        used.retain(|used| used.starts_with("probity"));
        let wrong: Vec<&String> = used.difference(allowed).collect();
        assert!(wrong.is_empty(), "{name} may not use {wrong:?}: ARCHITECTURE.md does not say so");
    }
}

#[test]
fn doors_have_their_owners() {
    for (name, manifest) in crates() {
        for (library, owners) in DOORS {
            let mut used = names(&manifest, "dependencies");
            if !DOORS_IN_TESTS.contains(&(library, &name)) {
                used.extend(names(&manifest, "dev-dependencies"));
            }
            let allowed = !used.contains(*library) || owners.contains(&name.as_str());
            assert!(allowed, "only {owners:?} may use {library}, not {name}");
        }
    }
}

#[test]
fn files_say_what_they_do_and_stay_small() {
    let mut wrong = Vec::new();
    for path in sources() {
        let text = fs::read_to_string(&path).unwrap();
        let shown = path.strip_prefix(root()).unwrap().display().to_string();
        let name = path.file_name().unwrap().to_string_lossy().into_owned();
        if name == "mod.rs" {
            wrong.push(format!("{shown}: write `thing.rs` beside `thing/` instead of `mod.rs`"));
        }
        if name != "tests.rs" && !text.starts_with("//!") {
            wrong.push(format!("{shown}: the first line must say what the file does (`//! …`)"));
        }
        let lines = text.lines().count();
        if lines > LINES_MAX {
            wrong.push(format!("{shown}: {lines} lines; look for the second job"));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

fn sources() -> Vec<PathBuf> {
    let mut found = Vec::new();
    for directory in ["crates", "benches"] {
        collect(&root().join(directory), &mut found);
    }
    found.sort();
    found
}

fn collect(directory: &Path, found: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(directory).into_iter().flatten().flatten() {
        let path = entry.path();
        if path.is_dir() && entry.file_name() != "target" {
            collect(&path, found);
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            found.push(path);
        }
    }
}

/// What one place decides, and words of code that only that place has: another file with them decides again.
const DECISIONS: &[(&str, &str, &[&str])] = &[
    (
        "verified",
        "probity-types/src/report/verification.rs",
        &["-> VerificationOutcome<", "|verification| verification.verified"],
    ),
    ("cost basis", "probity-types/src/cost.rs", &["x price table", "\"at-least\""]),
    (
        "source numbers",
        "probity-types/src/report/sources.rs",
        &["NumberedSource {", "report.sources.iter().zip(1"],
    ),
];

#[test]
fn one_place_decides_what_every_way_shows() {
    let root = root();
    let mut counts = Vec::new();
    for (decision, place, words) in DECISIONS {
        let mut places: BTreeSet<String> = BTreeSet::new();
        for file in sources() {
            let Ok(name) = file.strip_prefix(root.join("crates")) else { continue };
            let name = name.display().to_string();
            if name.contains("/tests") {
                continue;
            }
            let text = fs::read_to_string(&file).unwrap();
            if words.iter().any(|word| text.contains(word)) {
                places.insert(name);
            }
        }
        assert!(places.contains(*place), "{decision}: {place} no longer decides");
        assert_eq!(places.len(), 1, "{decision} is decided in {places:?}");
        counts.push(places.len().to_string());
    }
    crate::harness::figure("deciders", &counts.join(", "));
}
