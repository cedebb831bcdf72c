//! Twenty documents: five texts with known faults or none, each in four formats and with its own way to cite.

use std::collections::BTreeMap;

use crate::{
    evidence::lying_models::lies::{LieKind, LieTopic, PageOrders, PlantedSentence},
    named_kinds::named_kinds,
};

/// A number that no list of references has.
pub const DANGLING: usize = 97;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum DocumentCitationStyle {
    Footnotes,
    Inline,
    Numbered,
}

named_kinds! {
    /// With the ending of its files.
    pub enum DocumentFileFormat {
        Markdown = "md",
        Html = "html",
        Pdf = "pdf",
        Docx = "docx",
    }
}

/// What is wrong with a sentence of a document.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum DocumentFault {
    Lie(LieKind),
    /// A number that the list of references does not have.
    Dangling,
}

impl DocumentFault {
    pub fn words(self) -> &'static str {
        match self {
            Self::Lie(lie) => lie.words(),
            Self::Dangling => "dangling number",
        }
    }
}

#[derive(Debug, Clone)]
pub struct DocumentText {
    pub name: &'static str,
    pub style: DocumentCitationStyle,
    pub faults: Vec<DocumentFault>,
    pub topic: LieTopic,
}

pub fn all() -> Vec<DocumentText> {
    use DocumentCitationStyle::{Footnotes, Inline, Numbered};
    use DocumentFault::{Dangling, Lie};
    use LieKind::{AlteredQuotation, Date, Event, InventedAddress, InventedQuotation, Name, Number, Uncited};
    let texts = [
        ("notes-faulty", Footnotes, vec![Lie(Number), Lie(InventedQuotation), Lie(Uncited)]),
        ("links-clean", Inline, Vec::new()),
        ("links-faulty", Inline, vec![Lie(Name), Lie(AlteredQuotation), Lie(InventedAddress)]),
        ("numbers-clean", Numbered, Vec::new()),
        ("numbers-faulty", Numbered, vec![Lie(Date), Lie(Event), Dangling]),
    ];
    let texts = texts.into_iter().enumerate().map(|(number, (name, style, faults))| DocumentText {
        name,
        style,
        faults,
        topic: LieTopic::of(3_000 + number, PageOrders::Plain),
    });
    texts.collect()
}

impl DocumentText {
    pub fn sentence(&self, fault: DocumentFault) -> PlantedSentence {
        match fault {
            DocumentFault::Lie(lie) => self.topic.lie(lie),
            DocumentFault::Dangling => PlantedSentence {
                text: format!("The {} bridge has 14 arches.", self.topic.name),
                like: None,
                cites: None,
            },
        }
    }

    pub fn markdown(&self) -> String {
        let truths = self.topic.report(None);
        let faults: Vec<(Option<DocumentFault>, PlantedSentence)> =
            self.faults.iter().map(|fault| (Some(*fault), self.sentence(*fault))).collect();
        let told: Vec<(Option<DocumentFault>, PlantedSentence)> =
            truths.into_iter().map(|truth| (None, truth)).chain(faults).collect();
        let mut numbers: BTreeMap<String, usize> = BTreeMap::new();
        let mut addresses: Vec<String> = Vec::new();
        let mut text = format!("# The {} bridge\n", self.topic.name);
        for (fault, planted) in &told {
            let words = planted.text.trim_end_matches('.');
            text.push_str(&format!("\n{words}"));
            if *fault == Some(DocumentFault::Dangling) {
                text.push_str(&format!(" [{DANGLING}]"));
            }
            match (&planted.cites, self.style) {
                (None, _) => text.push('.'),
                (Some(url), DocumentCitationStyle::Inline) => {
                    text.push_str(&format!(" ([the city]({url}))."))
                }
                (Some(url), style) => {
                    // A note of its own for each sentence; a reference once in the list.
                    let known =
                        numbers.get(url).copied().filter(|_| style == DocumentCitationStyle::Numbered);
                    let number = known.unwrap_or_else(|| {
                        addresses.push(url.clone());
                        addresses.len()
                    });
                    numbers.insert(url.clone(), number);
                    text.push_str(&match style {
                        DocumentCitationStyle::Footnotes => format!(".[^{number}]"),
                        DocumentCitationStyle::Numbered | DocumentCitationStyle::Inline => {
                            format!(" [{number}].")
                        }
                    });
                }
            }
            text.push('\n');
        }
        if self.style == DocumentCitationStyle::Numbered {
            text.push_str("\n## References\n");
        }
        for (place, url) in addresses.iter().enumerate() {
            text.push_str(&match self.style {
                DocumentCitationStyle::Footnotes => {
                    format!("\n[^{}]: The city of bridges, <{url}>\n", place + 1)
                }
                DocumentCitationStyle::Numbered | DocumentCitationStyle::Inline => {
                    format!("\n[{}] The city of bridges. <{url}>\n", place + 1)
                }
            });
        }
        text
    }
}
