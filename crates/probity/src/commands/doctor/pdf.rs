//! What the doctor reports of PDFs: it makes one, and says which scripts this machine has fonts for.

use probity_report::pdf::{self, PdfFonts};

use super::{DoctorCheck, ENVIRONMENT};
use crate::{environment, format, report_document::FONTS_FIX};

/// No file is left: the pages are made in memory.
pub fn all() -> Vec<DoctorCheck> {
    let made = match pdf::sample(&PdfFonts::own()) {
        Ok(file) if file.bytes.starts_with(b"%PDF-") && file.pages > 0 => DoctorCheck::fine(
            ENVIRONMENT,
            "PDF",
            format!(
                "{} of {} made just now, tagged, without a browser",
                format::count(file.pages as u64, "page", "pages"),
                format::bytes(file.bytes.len() as u64)
            ),
        ),
        Ok(_) => DoctorCheck::failed(ENVIRONMENT, "PDF", "a sample came out empty", PAGE_FIX),
        Err(error) => DoctorCheck::failed(ENVIRONMENT, "PDF", error.to_string(), PAGE_FIX),
    };
    vec![made, fonts()]
}

/// What helps where no PDF can be made.
const PAGE_FIX: &str = "read reports as pages: `probity report last --format html`";

fn fonts() -> DoctorCheck {
    const OWN: &str = "Latin, Greek, Cyrillic, Hebrew and Arabic have one inside";
    match pdf::sample(&PdfFonts::beside(environment::font_directories())) {
        Ok(file) if file.missing.is_empty() => DoctorCheck::fine(
            ENVIRONMENT,
            "fonts",
            format!("{OWN}; this machine has those of all others in a sample"),
        ),
        Ok(file) => {
            let scripts: Vec<&str> = file.missing.iter().map(|of| of.script).collect();
            let told = format!("{OWN}; a PDF shows no {} here. {FONTS_FIX}", scripts.join(", "));
            DoctorCheck::fine(ENVIRONMENT, "fonts", told)
        }
        Err(error) => DoctorCheck::warning(ENVIRONMENT, "fonts", error.to_string(), FONTS_FIX),
    }
}
