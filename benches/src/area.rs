//! An area of figures: its measurements in the order of its table, run all or one.

use crate::{
    evidence,
    figure::{Figure, FigureKind, MeasurementSize},
    fleet, foundation, house, mcp, output, people, platforms,
    provenance::{self, PROFILE},
    research, rounds, safety, seeds, web,
};

/// An area as its page introduces it.
pub struct AreaSummary {
    pub name: &'static str,
    pub about: &'static str,
    /// Folders of the code that its figures measure, besides the measurements: a change there makes them stale.
    pub code: &'static [&'static str],
}

/// Every area, in the order of the pages.
pub const AREAS: [AreaSummary; 12] = [
    AreaSummary {
        name: "foundation",
        about: "Nothing is lost, nothing is paid twice: kills, power cuts, bad disks, many processes, many runs.",
        code: &[
            "crates/probity-types",
            "crates/probity-research",
            "crates/probity-store",
            "crates/probity-runner",
            "crates/probity-models",
            "crates/probity",
        ],
    },
    AreaSummary {
        name: "mcp",
        about: "What MCP clients meet: the official conformance suite, real clients, hostile input, cost per call.",
        code: &[
            "crates/probity-types",
            "crates/probity-research",
            "crates/probity-store",
            "crates/probity-runner",
            "crates/probity-server",
            "crates/probity",
        ],
    },
    AreaSummary {
        name: "rounds",
        about: "Search in rounds at Google's API and on the Gemini CLI.",
        code: &[
            "crates/probity-types",
            "crates/probity-research",
            "crates/probity-runner",
            "crates/probity-models",
            "crates/probity-engines",
            "crates/probity",
        ],
    },
    AreaSummary {
        name: "web",
        about: "Our own web engine: hostile pages, addresses and servers, the text of pages, searches and their bills.",
        code: &[
            "crates/probity-types",
            "crates/probity-research",
            "crates/probity-web",
            "crates/probity-extract",
            "crates/probity-models",
            "crates/probity-engines",
            "crates/probity",
        ],
    },
    AreaSummary {
        name: "research",
        about: "How much of a closed world a report holds, with which sources and at how many tokens, beside other programs.",
        code: &[
            "crates/probity-types",
            "crates/probity-research",
            "crates/probity-models",
            "crates/probity-engines",
            "crates/probity-simulator/src/research",
            "crates/probity",
            "evals/research",
        ],
    },
    AreaSummary {
        name: "evidence",
        about: "Which faults of a report are found, and what is never called supported.",
        code: &[
            "crates/probity-types",
            "crates/probity-research",
            "crates/probity-evidence",
            "crates/probity-bundle",
            "crates/probity-engines",
            "crates/probity",
            "evals",
        ],
    },
    AreaSummary {
        name: "fleet",
        about: "A whole fleet on one machine whose parts are killed, cut off, flooded and attacked. Everything shares \
                the cores, and the ratio stands beside the bare engine.",
        code: &[
            "crates/probity-types",
            "crates/probity-research",
            "crates/probity-store",
            "crates/probity-runner",
            "crates/probity-server",
            "crates/probity-fleet",
            "crates/probity",
        ],
    },
    AreaSummary {
        name: "people",
        about: "The local page and the report in real Chromium, settings files of clients, documented commands, packages.",
        code: &[
            "crates/probity-types",
            "crates/probity-research",
            "crates/probity-page",
            "crates/probity-report",
            "crates/probity-clients",
            "crates/probity",
            "packaging",
        ],
    },
    AreaSummary {
        name: "safety",
        about: "No process, client, provider, page or file makes the program overspend, hang, or lose what was paid for.",
        code: &[
            "crates/probity-types",
            "crates/probity-research",
            "crates/probity-store",
            "crates/probity-runner",
            "crates/probity-models",
            "crates/probity-evidence",
            "crates/probity-server",
            "crates/probity-page",
            "crates/probity-bundle",
            "crates/probity",
        ],
    },
    AreaSummary {
        name: "seeds",
        about: "What the documents promise that Probity grew from: each row with its verdict and the test that shows it.",
        code: &["crates", "docs/seeds.tsv"],
    },
    AreaSummary {
        name: "platforms",
        about: "Where it runs, and releases: what is installed is what was signed.",
        code: &["crates/probity", "packaging"],
    },
    AreaSummary {
        name: "house",
        about: "The code base itself, read from the files that are committed: names, structure, weight, promises.",
        code: &["crates", "benches", "evals", "fuzz"],
    },
];

/// A measurement: its name (for `--only`) and the function that yields its figures.
pub type Measurement = (&'static str, fn(MeasurementSize) -> anyhow::Result<Vec<Figure>>);

/// The measurements of an area, or nothing if there is no such area.
pub fn measurements(area: &str) -> Option<&'static [Measurement]> {
    Some(match area {
        "foundation" => foundation::MEASUREMENTS,
        "mcp" => mcp::MEASUREMENTS,
        "rounds" => rounds::MEASUREMENTS,
        "web" => web::MEASUREMENTS,
        "research" => research::MEASUREMENTS,
        "people" => people::MEASUREMENTS,
        "fleet" => fleet::MEASUREMENTS,
        "safety" => safety::MEASUREMENTS,
        "seeds" => seeds::MEASUREMENTS,
        "platforms" => platforms::MEASUREMENTS,
        "house" => house::MEASUREMENTS,
        "evidence" => evidence::MEASUREMENTS,
        _ => return None,
    })
}

/// Names of the measurements, in the order of the table.
pub fn names(tasks: &[Measurement]) -> Vec<&'static str> {
    tasks.iter().map(|(name, _)| *name).collect()
}

pub fn measure(
    tasks: &[Measurement],
    size: MeasurementSize,
    only: Option<&str>,
) -> anyhow::Result<Vec<Figure>> {
    let mut figures = Vec::new();
    let commit = provenance::head();
    for (name, run) in tasks {
        if only.is_some_and(|only| !name.contains(only)) {
            continue;
        }
        output::progress(name);
        for mut figure in measured(name, *run, size)? {
            (*name).clone_into(&mut figure.measurement);
            commit.clone_into(&mut figure.commit);
            PROFILE.clone_into(&mut figure.profile);
            if evidence::is_aim(&figure) {
                figure.kind = FigureKind::Aim;
            }
            figure.print();
            figures.push(figure);
        }
    }
    Ok(figures)
}

/// A measurement that breaks down (a part that did not start, an answer that never came) says nothing about a figure. In
/// CI it is tried once more; if it breaks down again, that is a figure that is short, and the others are still measured.
/// What is measured and short is never tried again.
fn measured(
    name: &str,
    run: fn(MeasurementSize) -> anyhow::Result<Vec<Figure>>,
    size: MeasurementSize,
) -> anyhow::Result<Vec<Figure>> {
    let first = match run(size) {
        Err(error) if size == MeasurementSize::Quick => error,
        done => return done,
    };
    output::progress(&format!("{name} broke down: {first:?}"));
    run(size).or_else(|second| {
        output::progress(&format!("{name} broke down again: {second:?}"));
        let name = format!("{name} can be measured");
        Ok(vec![
            Figure::judged(&name, false, "broke down twice".to_owned(), "no error")
                .with_note(format!("{second:#}")),
        ])
    })
}
