//! The documentation does what it says: every command of every page is run against the real program, with an empty
//! home and a simulated outside, and what it prints is compared with what the page shows.
//!
//! A block that cannot run here says why on the line before it: `<!-- not run: … -->`. Never rewrites a page.

mod blocks;
pub mod book;
mod compare;
pub mod session;

use std::path::{Path, PathBuf};

use anyhow::Context;

use crate::{
    figure::{Figure, MeasurementSize},
    rig,
};
pub use blocks::{DocsBlock, DocsBlockKind, DocsCommand};

/// Pages that are made from the code; their blocks are help texts, not commands to type.
const GENERATED: [&str; 2] = ["docs/generated", "docs/errors"];

/// What came of the commands of all pages.
#[derive(Debug, Default)]
pub struct DocsOutcome {
    pub pages: usize,
    pub blocks_run: usize,
    pub commands_run: usize,
    pub blocks_with_reason: usize,
    /// Page and line, and what differs.
    pub wrong: Vec<String>,
    /// Blocks of commands that are neither run nor excused.
    pub bare: Vec<String>,
}

pub fn measure(_size: MeasurementSize) -> anyhow::Result<Vec<Figure>> {
    let outcome = run_all(&rig::built("probity")?)?;
    for wrong in outcome.wrong.iter().chain(&outcome.bare) {
        crate::output::line(wrong);
    }
    let DocsOutcome { pages, blocks_run, commands_run, blocks_with_reason, wrong, bare } = outcome;
    let all = Figure::judged(
        "documented command blocks that do what the page says, or say why they are not run",
        wrong.is_empty() && bare.is_empty() && blocks_run > 0,
        format!(
            "{blocks_run} blocks ({commands_run} commands) run, {blocks_with_reason} with their reason, {} wrong, {} \
             without a reason",
            wrong.len(),
            bare.len()
        ),
        "every block, 0 wrong, 0 without a reason",
    );
    Ok(vec![all.with_note(format!("{pages} pages; the real program, an empty home, a simulated outside"))])
}

/// Runs every block of every page.
pub fn run_all(program: &Path) -> anyhow::Result<DocsOutcome> {
    let mut outcome = DocsOutcome::default();
    for path in pages()? {
        let text = std::fs::read_to_string(&path).with_context(|| format!("reading {}", path.display()))?;
        let shown = shown(&path);
        let blocks = blocks::read(&text);
        outcome.pages += 1;
        run_page(program, &shown, &blocks, &mut outcome).with_context(|| format!("running {shown}"))?;
    }
    Ok(outcome)
}

/// Blocks of commands that are neither run nor excused, by page and line; runs nothing.
pub fn bare() -> anyhow::Result<Vec<String>> {
    let mut found = Vec::new();
    for path in pages()? {
        let text = std::fs::read_to_string(&path)?;
        let bare = blocks::read(&text).into_iter().filter(|block| block.kind == DocsBlockKind::Bare);
        found.extend(bare.map(|block| format!("{}:{}: no reason given", shown(&path), block.line)));
    }
    Ok(found)
}

fn run_page(
    program: &Path,
    page: &str,
    blocks: &[DocsBlock],
    outcome: &mut DocsOutcome,
) -> anyhow::Result<()> {
    if blocks.iter().all(|block| !matches!(block.kind, DocsBlockKind::Console(_))) {
        count(page, blocks, outcome);
        return Ok(());
    }
    let mut session = session::DocsSession::open(program)?;
    for block in blocks {
        match &block.kind {
            DocsBlockKind::File(name) => session.write(name, &block.text)?,
            DocsBlockKind::Console(commands) => {
                outcome.blocks_run += 1;
                for command in commands {
                    outcome.commands_run += 1;
                    let differs = session.run(command)?;
                    outcome.wrong.extend(
                        differs.map(|what| format!("{page}:{}: $ {}\n{what}", command.line, command.typed)),
                    );
                }
            }
            DocsBlockKind::Excused(_) | DocsBlockKind::Bare => {}
        }
    }
    count(page, blocks, outcome);
    Ok(())
}

fn count(page: &str, blocks: &[DocsBlock], outcome: &mut DocsOutcome) {
    for block in blocks {
        match &block.kind {
            DocsBlockKind::Excused(_) => outcome.blocks_with_reason += 1,
            DocsBlockKind::Bare => outcome.bare.push(format!("{page}:{}: no reason given", block.line)),
            DocsBlockKind::Console(_) | DocsBlockKind::File(_) => {}
        }
    }
}

fn shown(path: &Path) -> String {
    path.strip_prefix(rig::repository()).unwrap_or(path).display().to_string()
}

/// Every page that people read and that is not made from the code.
fn pages() -> anyhow::Result<Vec<PathBuf>> {
    let root = rig::repository();
    let mut found: Vec<PathBuf> =
        ["README.md", "PRIVACY.md", "SECURITY.md"].iter().map(|name| root.join(name)).collect();
    found.retain(|path| path.is_file());
    collect(&root.join("docs"), &mut found)?;
    found.retain(|path| !GENERATED.iter().any(|folder| path.starts_with(root.join(folder))));
    found.sort();
    Ok(found)
}

fn collect(folder: &Path, found: &mut Vec<PathBuf>) -> anyhow::Result<()> {
    for entry in std::fs::read_dir(folder).with_context(|| format!("reading {}", folder.display()))? {
        let path = entry?.path();
        if path.is_dir() {
            collect(&path, found)?;
        } else if path.extension().is_some_and(|extension| extension == "md") {
            found.push(path);
        }
    }
    Ok(())
}
