//! The figures for people: what the local page and the report weigh, whether everybody can use them and nothing in them
//! acts; clients, packages, documentation and the first answer.

mod first_answer;
mod packages;
mod page;

use probity_report::pdf::{self, PdfFonts};
use probity_testing::report_fixture;

use crate::{
    area::Measurement,
    figure::{Figure, MeasurementSize},
    tested::{self, TestedFigure},
};

pub const MEASUREMENTS: &[Measurement] = &[
    ("page", page::measure),
    ("pdf", measure_pdf),
    ("clients", |size| tested::measure(&CLIENTS, size)),
    ("docs", |size| tested::measure(&DOCS, size)),
    ("documents", |size| tested::measure(&DOCUMENTS, size)),
    ("packages", packages::measure),
    ("first_answer", first_answer::measure),
];

const CLIENTS: [TestedFigure; 2] = [
    TestedFigure {
        test: "clients::real::real_clients_list_us",
        key: "clients.real",
        name: "people: real clients list Probity after `mcp install`, and no longer after `mcp uninstall`",
        goal: "each of them",
    },
    TestedFigure {
        test: "clients::settings_of_ten_clients_come_back_byte_by_byte",
        key: "clients.bytes",
        name: "people: settings of ten clients are byte-equal after `mcp install` and `mcp uninstall`",
        goal: "10 of 10",
    },
];

const DOCS: [TestedFigure; 1] = [TestedFigure {
    test: "docs::every_command_does_what_its_page_says",
    key: "docs",
    name: "documented command blocks that do what the page says, or say why they are not run",
    goal: "every block, 0 wrong, 0 without a reason",
}];

const DOCUMENTS: [TestedFigure; 1] = [TestedFigure {
    test: "docs::printed_documents_fit_their_published_schemas",
    key: "documents",
    name: "documents of `--json` and lines of `--stream-json` held against their published schemas",
    goal: "all fit",
}];

/// The font inside the program alone, so that every machine counts the same pages.
fn measure_pdf(_: MeasurementSize) -> anyhow::Result<Vec<Figure>> {
    const PAGES_GOAL: usize = 4;
    const CLAIMS_LEAST: usize = 25;
    let document = report_fixture::document(&report_fixture::research());
    let claims = document.checkable().count();
    let file = pdf::render(&document, &PdfFonts::own())?;
    Ok(vec![Figure::judged(
        "pages of a tagged PDF of 25 claims with their evidence, made without a browser",
        file.pages <= PAGES_GOAL && claims >= CLAIMS_LEAST,
        format!("{} ({} KB, {claims} claims)", file.pages, file.bytes.len() / 1024),
        "at most 4",
    )])
}
