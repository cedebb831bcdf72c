//! README's tables, generated from `docs/figures/*.json` between two markers, so that nobody types a figure.

use anyhow::Context;

use crate::figure::{FigureSheet, FigureVerdict};

/// Rewrites the part of README between `<!-- figures:AREA -->` and `<!-- /figures -->`, for every area it names.
pub fn rewrite() -> anyhow::Result<()> {
    let path = crate::rig::repository().join("README.md");
    let text = std::fs::read_to_string(&path).context("reading README.md")?;
    std::fs::write(&path, filled(&text)?).context("writing README.md")
}

/// `text` with every table replaced by the newest figures.
pub fn filled(text: &str) -> anyhow::Result<String> {
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some((before, after)) = rest.split_once("<!-- figures:") {
        let (area, after) = after.split_once(" -->").context("an open figures marker")?;
        let (_, after) = after.split_once("<!-- /figures -->").context("a figures marker without its end")?;
        out.push_str(before);
        out.push_str(&format!("<!-- figures:{area} -->\n{}<!-- /figures -->", table(area)?));
        rest = after;
    }
    out.push_str(rest);
    Ok(out)
}

fn table(area: &str) -> anyhow::Result<String> {
    let path = FigureSheet::path(area);
    if !path.is_file() {
        return Ok(format!("Not measured yet: `just figures {area}`.\n"));
    }
    let sheet = FigureSheet::load(&path)?;
    let mut rows = String::from("| | figure | measured | goal |\n|---|---|---|---|\n");
    let mut notes = String::new();
    // Lines of a table that has no goal of its own, such as a confusion matrix, stay in the sheet.
    let (judged, shown): (Vec<_>, Vec<_>) = sheet.figures.iter().partition(|figure| figure.goal != "shown");
    for figure in judged {
        let mark = match figure.verdict {
            FigureVerdict::Ok => "ok",
            FigureVerdict::Short => "short",
            FigureVerdict::Skipped => "skipped",
        };
        rows.push_str(&format!("| {mark} | {} | {} | {} |\n", figure.name, figure.measured, figure.goal));
        if !figure.note.is_empty() {
            notes.push_str(&format!("- {}: {}\n", figure.name, figure.note));
        }
    }
    if !shown.is_empty() {
        notes.push_str(&format!("- {} lines without a goal are in docs/figures/{area}.json\n", shown.len()));
    }
    Ok(format!(
        "{rows}\n<details><summary>Controls and conditions of each figure</summary>\n\n{notes}\n</details>\n"
    ))
}
