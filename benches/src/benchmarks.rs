//! BENCHMARKS.md: the figures that a reader compares with other tools, and those that fall short.

use crate::{
    figure::{Figure, FigureSheet, FigureVerdict},
    pages::{build, cell, find, mark},
    provenance::FigureAges,
};

/// Area and name, in the order of the page.
pub const COMPARED: [(&str, &str); 25] = [
    ("foundation", "acked-but-lost researches over every kill point"),
    ("foundation", "automatic duplicate creates over every kill point"),
    ("foundation", "acked-but-lost events and reports over power cuts"),
    ("foundation", "silent wrong answers over random corruptions"),
    ("foundation", "status read with 100000 researches stored, against a bare SQLite single-row read"),
    ("foundation", "10000 researches in flight in one process: memory per research above idle"),
    ("mcp", "MCP conformance suite, requirement set 2025-11-25"),
    ("mcp", "MCP conformance suite, requirement set 2026-07-28"),
    ("mcp", "real clients against the real binary"),
    ("mcp", "tools/list: tools and tokens, old and new era"),
    ("mcp", "cold start to the first MCP answer, store opened, beside bare rmcp"),
    ("rounds", "searches and answered rounds lost over every kill point"),
    ("web", "SSRF: canary hits"),
    ("web", "secrets that left, or ways out in a report"),
    ("web", "main text of 181 pages labelled by others, F1 of words"),
    ("evidence", "supported without a judge, WiCE"),
    ("evidence", "claims not borne out, held out (WiCE test, 358)"),
    ("evidence", "true sentences called contradicted or not in source"),
    ("evidence", "planted faults told from true sentences, ours against other tools: hyperresearch 0.12.0"),
    ("evidence", "words behind supported and quoted that stand literally in the stored page"),
    ("evidence", "damaged and forged bundles that are refused"),
    (
        "fleet",
        "fleet: kill -9 of workers, front ends, engine nodes and PostgreSQL in random order under load",
    ),
    (
        "fleet",
        "10000 researches on 3 engine nodes, 4 workers, 2 front ends: durable steps against the bare engine",
    ),
    ("people", "the static program, everything in it"),
    ("people", "clean machine to the first cited answer, with no key and no model"),
];

pub fn page(sheets: &[FigureSheet], ages: &mut FigureAges) -> anyhow::Result<String> {
    let mut page = String::from(
        "<!-- Made by `just pages` from docs/figures. Do not edit. -->\n\n# Benchmarks\n\n\
         What a reader would compare, each measured against the bare part or the published limit, with the command that \
         prints it again. All figures with their controls: [docs/figures](docs/figures/README.md), which also says what \
         *stale*, *dev* and *release* mean.\n\n\
         | | figure | measured | goal | command | measured on |\n|---|---|---|---|---|---|\n",
    );
    for (area, name) in COMPARED {
        let figure = find(sheets, area, name)?;
        let Figure { measurement, .. } = figure;
        let mark = mark(area, figure, ages);
        let [measured, goal] = [&figure.measured, &figure.goal].map(|text| cell(text));
        let command = format!("`just figures {area} --only {measurement}`");
        page.push_str(&format!(
            "| {mark} | {name} | {measured} | {goal} | {command} | {} |\n",
            build(figure)
        ));
    }
    page.push_str(&shortcomings(sheets));
    Ok(page)
}

/// Everything that was measured and is short, from every area.
fn shortcomings(sheets: &[FigureSheet]) -> String {
    let mut list = String::from("\n## What falls short\n");
    for sheet in sheets {
        let short = sheet.figures.iter().filter(|figure| figure.verdict == FigureVerdict::Short);
        for Figure { name, measured, goal, .. } in short {
            list.push_str(&format!("- {}: {name}: **{measured}**, goal: {goal}\n", sheet.area));
        }
    }
    let figures = || sheets.iter().flat_map(|sheet| &sheet.figures);
    let slower = figures().filter(|figure| figure.profile != "release").count();
    list.push_str(&format!(
        "- {slower} of {} figures were not measured on a release build\n\n\
         No figure here shows that a source is true or that a report is well written. Google's agents, paid searches and \
         the web are simulated; the real ones were not asked. What verdicts miss, and why: [Where it \
         fails](docs/book/explanation/where-it-fails.md).\n",
        figures().count()
    ));
    list
}
