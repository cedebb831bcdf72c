//! What is made from others' words: tables of figures inside the book, and `llms.txt` from its contents. And whether
//! every link of every page leads somewhere.

use std::path::{Path, PathBuf};

use anyhow::Context;
use probity_benches::{
    figure::{Figure, FigureSheet, FigureVerdict},
    rig,
};

pub const LLMS: &str = "docs/llms.txt";
pub const SUMMARY: &str = "docs/book/SUMMARY.md";
pub const WHERE_IT_FAILS: &str = "docs/book/explanation/where-it-fails.md";
/// Areas whose figures are about verdicts and pages; the others are in `docs/figures/README.md`.
const AREAS: [&str; 2] = ["evidence", "web"];
const PLANTED: &str = "planted and caught: ";

/// The page with its tables as the figures have them today.
pub fn with_figures(page: &str) -> anyhow::Result<String> {
    let mut short = String::from("| figure | measured | goal |\n|---|---|---|\n");
    let mut planted = String::from("| planted fault | caught by rules alone; with a judge |\n|---|---|\n");
    for area in AREAS {
        for figure in FigureSheet::load(&FigureSheet::path(area))?.figures {
            let Figure { name, measured, goal, .. } = &figure;
            if figure.verdict == FigureVerdict::Short {
                short.push_str(&format!("| {name} | {measured} | {goal} |\n"));
            }
            if let Some(fault) = name.strip_prefix(PLANTED) {
                planted.push_str(&format!("| {fault} | {measured} |\n"));
            }
        }
    }
    let page = between(page, "figures-short", &short)?;
    between(&page, "figures-planted", &planted)
}

fn between(page: &str, name: &str, table: &str) -> anyhow::Result<String> {
    let (open, close) = (format!("<!-- {name} -->"), format!("<!-- /{name} -->"));
    let (before, rest) = page.split_once(&open).with_context(|| format!("no {open}"))?;
    let (_, after) = rest.split_once(&close).with_context(|| format!("no {close}"))?;
    Ok(format!("{before}{open}\n{table}{close}{after}"))
}

/// The book's contents as programs read them: `https://llmstxt.org`.
pub fn llms(summary: &str) -> String {
    let mut text = "# Probity\n\n> Deep research whose every sentence can be checked: one program that searches, reads, \
        writes, and gives every claim a verdict computed from stored pages.\n"
        .to_owned();
    for line in summary.lines().skip(1) {
        if let Some(part) = line.strip_prefix("# ") {
            text.push_str(&format!("\n## {part}\n\n"));
        } else if let Some((title, path)) = links(line).first() {
            let start = if text.contains("\n## ") { "" } else { "\n" };
            text.push_str(&format!("{start}- [{title}](book/{path})\n"));
        }
    }
    text
}

/// Links of the book and of the pages beside it that lead nowhere, and pages that the contents do not name.
pub fn broken() -> anyhow::Result<Vec<String>> {
    let root = rig::repository();
    let mut wrong = Vec::new();
    for path in pages()? {
        let text = std::fs::read_to_string(&path)?;
        let folder = path.parent().unwrap_or(&root);
        let included = text.lines().filter_map(included);
        let linked = links(&text).into_iter().map(|(_, target)| target);
        for target in linked.chain(included) {
            if !leads_somewhere(folder, target) {
                wrong.push(format!("{}: {target}", shown(&path)));
            }
        }
    }
    let summary = std::fs::read_to_string(root.join(SUMMARY))?;
    let book = root.join("docs/book");
    let named: Vec<_> = links(&summary).into_iter().map(|(_, target)| book.join(target)).collect();
    let unnamed = |path: &std::path::PathBuf| {
        path.starts_with(&book) && !named.contains(path) && *path != root.join(SUMMARY)
    };
    wrong.extend(
        pages()?
            .iter()
            .filter(|path| unnamed(path))
            .map(|path| format!("{}: not in SUMMARY.md", shown(path))),
    );
    Ok(wrong)
}

/// Every page that people read and that is not made from the code.
fn pages() -> anyhow::Result<Vec<PathBuf>> {
    let root = rig::repository();
    let mut found: Vec<PathBuf> =
        ["README.md", "PRIVACY.md", "SECURITY.md"].iter().map(|name| root.join(name)).collect();
    let mut folders = vec![root.join("docs")];
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(&folder)? {
            let path = entry?.path();
            if path.is_dir() {
                folders.push(path);
            } else if path.extension().is_some_and(|extension| extension == "md") {
                found.push(path);
            }
        }
    }
    let generated = ["docs/generated", "docs/errors"].map(|folder| root.join(folder));
    found.retain(|path| path.is_file() && !generated.iter().any(|folder| path.starts_with(folder)));
    found.sort();
    Ok(found)
}

fn shown(path: &Path) -> String {
    path.strip_prefix(rig::repository()).unwrap_or(path).display().to_string()
}

fn leads_somewhere(folder: &Path, target: &str) -> bool {
    let file = target.split('#').next().unwrap_or_default();
    let is_elsewhere = ["http:", "https:", "mailto:"].iter().any(|scheme| target.starts_with(scheme));
    is_elsewhere || file.is_empty() || folder.join(file).exists()
}

/// `{{#include path:from:to}}`.
fn included(line: &str) -> Option<&str> {
    let inside = line.trim().strip_prefix("{{#include ")?.strip_suffix("}}")?;
    inside.split(':').next()
}

/// `[title](target)` outside code, in order.
fn links(text: &str) -> Vec<(&str, &str)> {
    let mut found = Vec::new();
    let mut in_code = false;
    for line in text.lines() {
        if line.trim_start().starts_with("```") {
            in_code = !in_code;
        }
        // Every second piece between backquotes is code.
        let prose = line.split('`').step_by(2).filter(|_| !in_code);
        found.extend(prose.flat_map(links_of));
    }
    found
}

fn links_of(text: &str) -> Vec<(&str, &str)> {
    let mut found = Vec::new();
    let mut rest = text;
    while let Some((before, behind)) = rest.split_once("](") {
        let title = before.rsplit('[').next().unwrap_or_default();
        let target = behind.split([')', ' ']).next().unwrap_or_default();
        found.push((title, target));
        rest = behind;
    }
    found
}

#[test]
fn links_are_found_outside_code() {
    let text = "See [a](a.md) and [b](../b.md#part).\n`[c](c.md)` [d](d.md)\n```\n[e](e.md)\n```\n";
    assert_eq!(links(text), [("a", "a.md"), ("b", "../b.md#part"), ("d", "d.md")]);
}

#[test]
fn contents_become_a_list_for_programs() {
    let text = llms("# Summary\n\n[What](what.md)\n\n# How to\n\n- [Do](how/do.md)\n");
    assert!(text.ends_with("\n\n- [What](book/what.md)\n\n## How to\n\n- [Do](book/how/do.md)\n"), "{text}");
}

#[test]
fn a_table_takes_the_place_of_the_one_before() {
    assert_eq!(
        between("a\n<!-- x -->\nold\n<!-- /x -->\nb", "x", "new\n").unwrap(),
        "a\n<!-- x -->\nnew\n<!-- /x -->\nb"
    );
    assert!(between("a", "x", "new").is_err());
}
