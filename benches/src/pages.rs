//! The pages that show figures: `docs/figures/README.md` with all of them, BENCHMARKS.md with those that readers compare,
//! and the few in README.md. Made from `docs/figures/*.json`, so that nobody types a figure.

use anyhow::Context;

use crate::{
    area::{AREAS, AreaSummary},
    benchmarks,
    figure::{Figure, FigureSheet, FigureVerdict},
    provenance::{self, FigureAge, FigureAges},
    rig,
};

pub const FIGURES: &str = "docs/figures/README.md";
pub const BENCHMARKS: &str = "BENCHMARKS.md";
pub const README: &str = "README.md";
const STALE: &str = ", stale";
const AGE_UNKNOWN: &str = ", age unknown";

/// Writes every page anew.
pub fn rewrite() -> anyhow::Result<()> {
    for (path, text) in all()? {
        std::fs::write(rig::repository().join(path), text).with_context(|| format!("writing {path}"))?;
    }
    Ok(())
}

/// Every page with its text as the sheets have it today.
pub fn all() -> anyhow::Result<Vec<(&'static str, String)>> {
    let sheets = sheets()?;
    let mut ages = FigureAges::default();
    let readme = std::fs::read_to_string(rig::repository().join(README)).context("reading README.md")?;
    Ok(vec![
        (FIGURES, figures_page(&sheets, &mut ages)),
        (BENCHMARKS, benchmarks::page(&sheets, &mut ages)?),
        (README, filled(&readme, &sheets)?),
    ])
}

/// The sheets that exist, in the order of the areas.
pub fn sheets() -> anyhow::Result<Vec<FigureSheet>> {
    let paths = AREAS.iter().map(|area| FigureSheet::path(area.name));
    paths.filter(|path| path.is_file()).map(|path| FigureSheet::load(&path)).collect()
}

/// `text` without what depends on the history of the clone that wrote it.
pub fn without_ages(text: &str) -> String {
    text.replace(STALE, "").replace(AGE_UNKNOWN, "")
}

/// `ok`, `short` or `skipped`, and whether the code has changed since.
pub fn mark(area: &str, figure: &Figure, ages: &mut FigureAges) -> String {
    let age = match ages.of(area, &figure.commit) {
        FigureAge::Current => "",
        FigureAge::Stale => STALE,
        FigureAge::Unknown => AGE_UNKNOWN,
    };
    format!("{}{age}", figure.verdict.word())
}

/// Text inside a cell of a table.
pub fn cell(text: &str) -> String {
    text.replace('|', "\\|")
}

/// Where `text` has `<!-- figure:AREA:NAME -->…<!-- /figure -->`, what was measured stands between.
fn filled(text: &str, sheets: &[FigureSheet]) -> anyhow::Result<String> {
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some((before, after)) = rest.split_once("<!-- figure:") {
        let (marker, after) = after.split_once(" -->").context("an open figure marker")?;
        let (_, after) = after.split_once("<!-- /figure -->").context("a figure marker without its end")?;
        let (area, name) = marker.split_once(':').context("a figure marker without an area")?;
        let figure = find(sheets, area, name)?;
        let remark = if figure.verdict == FigureVerdict::Ok { "" } else { " (short of its goal)" };
        out.push_str(&format!("{before}<!-- figure:{marker} -->{}{remark}<!-- /figure -->", figure.measured));
        rest = after;
    }
    out.push_str(rest);
    Ok(out)
}

pub fn find<'sheets>(
    sheets: &'sheets [FigureSheet],
    area: &str,
    name: &str,
) -> anyhow::Result<&'sheets Figure> {
    let sheet =
        sheets.iter().find(|sheet| sheet.area == area).with_context(|| format!("no sheet of {area}"))?;
    let figure = sheet.figures.iter().find(|figure| figure.name == name);
    figure.with_context(|| format!("no figure of {area} is called `{name}`"))
}

fn figures_page(sheets: &[FigureSheet], ages: &mut FigureAges) -> String {
    let mut page = String::from(
        "<!-- Made by `just pages` from the sheets beside it. Do not edit. -->\n\n# Figures\n\n\
         Everything that was measured, by area; [BENCHMARKS.md](../../BENCHMARKS.md) has those that readers compare.\n\n\
         - *ok*: the goal is reached. *short*: it is not. *skipped*: it could not be measured; the note says why.\n\
         - *stale*: the code that the figure measures has changed since the commit it was measured on. *age unknown*: git \
         could not tell when this page was made.\n\
         - *dev* is the build of developers, slower than what users get; *release* is theirs. A commit that ends in `-dirty` \
         had changes that are in no commit.\n\
         - Figures from before commits were recorded carry the commit in which what was measured last changed.\n\n\
         No figure needs a key or spends money: providers, models and the web are simulated on loopback unless a figure \
         names the real part.\n",
    );
    for area in &AREAS {
        let sheet = sheets.iter().find(|sheet| sheet.area == area.name);
        page.push_str(&match sheet {
            Some(sheet) => section(area, sheet, ages),
            None => {
                format!("\n## {0}\n{1}\n\nNot measured yet: `just figures {0}`.\n", area.name, area.about)
            }
        });
    }
    page
}

fn section(area: &AreaSummary, sheet: &FigureSheet, ages: &mut FigureAges) -> String {
    let name = area.name;
    let mut rows = String::from("| | figure | measured | goal |\n|---|---|---|---|\n");
    let mut notes = String::new();
    // Lines of a table that has no goal of its own, such as a confusion matrix, stay in the sheet.
    let (judged, shown): (Vec<_>, Vec<_>) = sheet.figures.iter().partition(|figure| figure.goal != "shown");
    for figure in judged {
        let mark = mark(name, figure, ages);
        let [figure_name, measured, goal] =
            [&figure.name, &figure.measured, &figure.goal].map(|text| cell(text));
        rows.push_str(&format!("| {mark} | {figure_name} | {measured} | {goal} |\n"));
        if !figure.note.is_empty() {
            notes.push_str(&format!("- {}: {}\n", figure.name, figure.note));
        }
    }
    if !shown.is_empty() {
        notes
            .push_str(&format!("- {} lines without a goal are in [{name}.json]({name}.json)\n", shown.len()));
    }
    format!(
        "\n## {name}\n{}\n\n`just figures {name}`; {}.\n\n{rows}\n<details><summary>Controls and conditions of each \
         figure</summary>\n\n{notes}\n</details>\n",
        area.about,
        taken_on(sheet),
    )
}

/// Which commits and builds the figures of a sheet were measured on.
fn taken_on(sheet: &FigureSheet) -> String {
    let mut builds: Vec<(String, usize)> = Vec::new();
    for figure in &sheet.figures {
        let build = build(figure);
        match builds.iter_mut().find(|(known, _)| *known == build) {
            Some((_, count)) => *count += 1,
            None => builds.push((build, 1)),
        }
    }
    let counted: Vec<String> = builds.iter().map(|(build, count)| format!("{count} on {build}")).collect();
    format!("figures: {}", counted.join(", "))
}

/// The commit and the profile of a figure, as pages show them.
pub fn build(figure: &Figure) -> String {
    format!("`{}` ({})", provenance::short(&figure.commit), figure.profile)
}

#[cfg(test)]
mod tests {
    use super::{filled, without_ages};
    use crate::figure::{Figure, FigureSheet, MeasurementSize};

    #[test]
    fn a_marker_takes_what_was_measured_and_says_when_it_is_short() {
        let figure = |name, reached| Figure::judged(name, reached, "0 of 7".to_owned(), "0");
        let sheet = FigureSheet {
            area: "fleet".to_owned(),
            size: MeasurementSize::Full,
            figures: vec![figure("fleet: kills", true), figure("cuts", false)],
        };
        let marked =
            |name: &str, text: &str| format!("a <!-- figure:fleet:{name} -->{text}<!-- /figure --> b");
        let sheets = [sheet];
        assert_eq!(
            filled(&marked("fleet: kills", "old"), &sheets).unwrap(),
            marked("fleet: kills", "0 of 7")
        );
        assert_eq!(
            filled(&marked("cuts", ""), &sheets).unwrap(),
            marked("cuts", "0 of 7 (short of its goal)")
        );
        assert!(filled(&marked("gone", ""), &sheets).is_err());
    }

    #[test]
    fn only_the_age_is_left_out_of_a_comparison() {
        assert_eq!(
            without_ages("| short, stale | a |\n| ok, age unknown | b |"),
            "| short | a |\n| ok | b |"
        );
    }
}
