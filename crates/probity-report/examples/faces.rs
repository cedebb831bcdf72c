//! Writes every face of the example research into a directory: `cargo run -p probity-report --example faces -- DIR`;
//! folders behind it are looked through for fonts of a PDF.
#![expect(clippy::print_stdout, reason = "an example that people run")]

use std::{env, fs, path::PathBuf};

use probity_report::{
    ReportDocument, bibliography, charts, docx, html, json, markdown,
    pdf::{self, PdfFonts},
};
use probity_testing::report_fixture::{document, hostile, large, research};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let directory = PathBuf::from(env::args_os().nth(1).ok_or("name a directory")?);
    let fonts = PdfFonts::beside(env::args_os().skip(2).map(PathBuf::from).collect());
    for (name, fixture) in [("example", research()), ("hostile", hostile()), ("large", large(500))] {
        let document = document(&fixture);
        let directory = directory.join(name);
        fs::create_dir_all(&directory)?;
        for (file, bytes) in faces(&document, &fonts)? {
            println!("{name}/{file}: {} bytes", bytes.len());
            fs::write(directory.join(file), bytes)?;
        }
    }
    Ok(())
}

fn faces(
    document: &ReportDocument,
    fonts: &PdfFonts,
) -> Result<Vec<(&'static str, Vec<u8>)>, probity_report::Error> {
    let mut files = vec![
        ("report.html", html::page(document).into_bytes()),
        ("report.md", markdown::render(document).into_bytes()),
        ("report.json", json::render(document).into_bytes()),
        ("report.docx", docx::render(document)?),
        ("report.pdf", pdf::render(document, fonts)?.bytes),
        ("sources.bib", bibliography::bibtex(document).into_bytes()),
        ("sources.csl.json", bibliography::csl_json(document).into_bytes()),
    ];
    let pictures = [
        ("timeline.svg", charts::timeline(document)),
        ("domains.svg", charts::domains(document)),
        ("verdicts.svg", charts::verdicts(document)),
        ("costs.svg", charts::costs(document)),
    ];
    files.extend(pictures.into_iter().filter_map(|(name, picture)| Some((name, picture?.into_bytes()))));
    Ok(files)
}
