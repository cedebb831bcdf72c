//! The output formats by their names, as flags and addresses use them.

use std::{fmt, str::FromStr};

/// What is known of a format. There is no default: whoever adds one says all of it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ReportFormatFacts {
    /// As flags and pages spell it.
    pub name: &'static str,
    /// Other spellings that are understood, in lower case.
    pub aliases: &'static [&'static str],
    /// How the file's name ends, without the dot.
    pub extension: &'static str,
    /// What a server says of it.
    pub media_type: &'static str,
}

/// `ReportFormat` with `ALL` and `facts`, from one row each.
macro_rules! formats {
    ($($variant:ident: $facts:expr,)+) => {
        /// What a document can be written as.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
        pub enum ReportFormat { $($variant),+ }

        impl ReportFormat {
            pub const ALL: [Self; [$(stringify!($variant)),+].len()] = [$(Self::$variant),+];

            pub const fn facts(self) -> &'static ReportFormatFacts {
                match self { $(Self::$variant => { const FACTS: ReportFormatFacts = $facts; &FACTS })+ }
            }
        }
    };
}

formats! {
    Markdown: ReportFormatFacts {
        name: "md",
        aliases: &["markdown"],
        extension: "md",
        media_type: "text/markdown; charset=utf-8",
    },
    Html: ReportFormatFacts {
        name: "html",
        aliases: &["htm"],
        extension: "html",
        media_type: "text/html; charset=utf-8",
    },
    Pdf: ReportFormatFacts { name: "pdf", aliases: &[], extension: "pdf", media_type: "application/pdf" },
    Docx: ReportFormatFacts {
        name: "docx",
        aliases: &["word"],
        extension: "docx",
        media_type: "application/vnd.openxmlformats-officedocument.wordprocessingml.document",
    },
    Json: ReportFormatFacts { name: "json", aliases: &[], extension: "json", media_type: "application/json" },
    Bibtex: ReportFormatFacts {
        name: "bibtex",
        aliases: &[],
        extension: "bib",
        media_type: "application/x-bibtex; charset=utf-8",
    },
    CslJson: ReportFormatFacts {
        name: "csl-json",
        aliases: &["csl"],
        extension: "csl.json",
        media_type: "application/vnd.citationstyles.csl+json",
    },
}

#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("`{0}` is no format; they are {names}", names = ReportFormat::names().join(", "))]
pub struct ReportFormatError(pub String);

impl ReportFormat {
    pub const fn as_str(self) -> &'static str {
        self.facts().name
    }

    /// How the file's name ends, without the dot.
    pub const fn extension(self) -> &'static str {
        self.facts().extension
    }

    /// What a server says of it.
    pub const fn media_type(self) -> &'static str {
        self.facts().media_type
    }

    pub fn names() -> Vec<&'static str> {
        Self::ALL.into_iter().map(Self::as_str).collect()
    }

    /// Name, extension and other spellings alike.
    fn is_called(self, text: &str) -> bool {
        let ReportFormatFacts { name, aliases, extension, media_type: _ } = *self.facts();
        text == name || text == extension || aliases.contains(&text)
    }
}

impl fmt::Display for ReportFormat {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str(self.as_str())
    }
}

impl FromStr for ReportFormat {
    type Err = ReportFormatError;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let spelling = text.trim().to_ascii_lowercase();
        let found = Self::ALL.into_iter().find(|format| format.is_called(&spelling));
        found.ok_or_else(|| ReportFormatError(probity_types::text::line(text, 40)))
    }
}

#[cfg(test)]
mod tests {
    use super::ReportFormat;

    #[test]
    fn every_format_is_read_back_from_its_name_and_its_extension() {
        for format in ReportFormat::ALL {
            assert_eq!(format.to_string().parse(), Ok(format));
            assert_eq!(format.extension().parse(), Ok(format));
        }
        let message = "`exe` is no format; they are md, html, pdf, docx, json, bibtex, csl-json";
        assert_eq!("exe".parse::<ReportFormat>().unwrap_err().to_string(), message);
    }

    #[test]
    fn no_spelling_means_two_formats() {
        for format in ReportFormat::ALL {
            let facts = format.facts();
            for spelling in [facts.name, facts.extension].iter().chain(facts.aliases) {
                assert_eq!(spelling.parse(), Ok(format), "{spelling}");
            }
        }
    }
}
