//! What is made from others' words: tables of figures inside the book, and `llms.txt` from its contents. And whether
//! every link of every page leads somewhere.

use std::path::Path;

use anyhow::Context;

use crate::{
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
    for path in super::pages()? {
        let text = std::fs::read_to_string(&path)?;
        let folder = path.parent().unwrap_or(&root);
        let included = text.lines().filter_map(included);
        let linked = links(&text).into_iter().map(|(_, target)| target);
        for target in linked.chain(included) {
            if !leads_somewhere(folder, target) {
                wrong.push(format!("{}: {target}", super::shown(&path)));
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
        super::pages()?
            .iter()
            .filter(|path| unnamed(path))
            .map(|path| format!("{}: not in SUMMARY.md", super::shown(path))),
    );
    Ok(wrong)
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

#[cfg(test)]
mod tests {
    use super::{between, links, llms};

    #[test]
    fn links_are_found_outside_code() {
        let text = "See [a](a.md) and [b](../b.md#part).\n`[c](c.md)` [d](d.md)\n```\n[e](e.md)\n```\n";
        assert_eq!(links(text), [("a", "a.md"), ("b", "../b.md#part"), ("d", "d.md")]);
    }

    #[test]
    fn contents_become_a_list_for_programs() {
        let text = llms("# Summary\n\n[What](what.md)\n\n# How to\n\n- [Do](how/do.md)\n");
        assert!(
            text.ends_with("\n\n- [What](book/what.md)\n\n## How to\n\n- [Do](book/how/do.md)\n"),
            "{text}"
        );
    }

    #[test]
    fn a_table_takes_the_place_of_the_one_before() {
        assert_eq!(
            between("a\n<!-- x -->\nold\n<!-- /x -->\nb", "x", "new\n").unwrap(),
            "a\n<!-- x -->\nnew\n<!-- /x -->\nb"
        );
        assert!(between("a", "x", "new").is_err());
    }
}
