//! Twenty documents: five texts with known faults or none, each in four formats and with its own way to cite.

use std::collections::BTreeMap;

use crate::evidence::lying::world::{Lie, Pages, Planted, Topic};

/// A number that no list of references has.
pub const DANGLING: usize = 97;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Style {
    Footnotes,
    Inline,
    Numbered,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Format {
    Markdown,
    Html,
    Pdf,
    Docx,
}

impl Format {
    pub const ALL: [Self; 4] = [Self::Markdown, Self::Html, Self::Pdf, Self::Docx];

    pub fn ending(self) -> &'static str {
        match self {
            Self::Markdown => "md",
            Self::Html => "html",
            Self::Pdf => "pdf",
            Self::Docx => "docx",
        }
    }
}

/// What is wrong with a sentence of a document.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Fault {
    Lie(Lie),
    /// A number that the list of references does not have.
    Dangling,
}

impl Fault {
    pub fn words(self) -> &'static str {
        match self {
            Self::Lie(lie) => lie.words(),
            Self::Dangling => "dangling number",
        }
    }
}

#[derive(Debug, Clone)]
pub struct Text {
    pub name: &'static str,
    pub style: Style,
    pub faults: Vec<Fault>,
    pub topic: Topic,
}

pub fn all() -> Vec<Text> {
    let text = |(number, (name, style, faults)): (usize, (&'static str, Style, Vec<Fault>))| Text {
        name,
        style,
        faults,
        topic: Topic::of(3_000 + number, Pages::Plain),
    };
    let lie = Fault::Lie;
    let texts = [
        (
            "notes-faulty",
            Style::Footnotes,
            vec![lie(Lie::Number), lie(Lie::InventedQuotation), lie(Lie::Uncited)],
        ),
        ("links-clean", Style::Inline, Vec::new()),
        (
            "links-faulty",
            Style::Inline,
            vec![lie(Lie::Name), lie(Lie::AlteredQuotation), lie(Lie::InventedAddress)],
        ),
        ("numbers-clean", Style::Numbered, Vec::new()),
        ("numbers-faulty", Style::Numbered, vec![lie(Lie::Date), lie(Lie::Event), Fault::Dangling]),
    ];
    texts.into_iter().enumerate().map(text).collect()
}

impl Text {
    pub fn sentence(&self, fault: Fault) -> Planted {
        match fault {
            Fault::Lie(lie) => self.topic.lie(lie),
            Fault::Dangling => Planted {
                text: format!("The {} bridge has 14 arches.", self.topic.name),
                like: None,
                cites: None,
            },
        }
    }

    pub fn markdown(&self) -> String {
        let truths = self.topic.report(None);
        let faults: Vec<(Option<Fault>, Planted)> =
            self.faults.iter().map(|fault| (Some(*fault), self.sentence(*fault))).collect();
        let told: Vec<(Option<Fault>, Planted)> =
            truths.into_iter().map(|truth| (None, truth)).chain(faults).collect();
        let mut numbers: BTreeMap<String, usize> = BTreeMap::new();
        let mut addresses: Vec<String> = Vec::new();
        let mut text = format!("# The {} bridge\n", self.topic.name);
        for (fault, planted) in &told {
            let words = planted.text.trim_end_matches('.');
            text.push_str(&format!("\n{words}"));
            if *fault == Some(Fault::Dangling) {
                text.push_str(&format!(" [{DANGLING}]"));
            }
            match (&planted.cites, self.style) {
                (None, _) => text.push('.'),
                (Some(url), Style::Inline) => text.push_str(&format!(" ([the city]({url})).")),
                (Some(url), style) => {
                    // A note of its own for each sentence; a reference once in the list.
                    let known = numbers.get(url).copied().filter(|_| style == Style::Numbered);
                    let number = known.unwrap_or_else(|| {
                        addresses.push(url.clone());
                        addresses.len()
                    });
                    numbers.insert(url.clone(), number);
                    text.push_str(&match style {
                        Style::Footnotes => format!(".[^{number}]"),
                        Style::Numbered | Style::Inline => format!(" [{number}]."),
                    });
                }
            }
            text.push('\n');
        }
        if self.style == Style::Numbered {
            text.push_str("\n## References\n");
        }
        for (place, url) in addresses.iter().enumerate() {
            text.push_str(&match self.style {
                Style::Footnotes => format!("\n[^{}]: The city of bridges, <{url}>\n", place + 1),
                Style::Numbered | Style::Inline => {
                    format!("\n[{}] The city of bridges. <{url}>\n", place + 1)
                }
            });
        }
        text
    }
}
