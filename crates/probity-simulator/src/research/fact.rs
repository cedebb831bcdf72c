//! One fact of an invented world: what of whom was how much in which year, and the sentences that say so.

use super::lexicon::{CURRENT, QUALIFIERS, QUANTITIES, WORDINGS};

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum FactLanguage {
    English,
    German,
    Chinese,
}

impl FactLanguage {
    pub const ALL: [Self; 3] = [Self::English, Self::German, Self::Chinese];

    pub fn code(self) -> &'static str {
        match self {
            Self::English => "en",
            Self::German => "de",
            Self::Chinese => "zh",
        }
    }

    /// The form of words for this language.
    pub(super) fn of<T: Copy>(self, forms: &[T; 3]) -> T {
        let [english, german, chinese] = *forms;
        match self {
            Self::English => english,
            Self::German => german,
            Self::Chinese => chinese,
        }
    }
}

/// What is measured: a quantity and what it is measured of, as places in the lexicon.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct FactAttribute {
    pub qualifier: usize,
    /// Also the facet, and the unit that is right for it.
    pub quantity: usize,
}

impl FactAttribute {
    pub fn words(self, language: FactLanguage) -> String {
        let qualifier = QUALIFIERS.get(self.qualifier).map_or("", |forms| language.of(forms));
        let base = QUANTITIES.get(self.quantity).map_or("", |quantity| language.of(&quantity.base));
        match language {
            FactLanguage::English => format!("{qualifier} {base}"),
            FactLanguage::German | FactLanguage::Chinese => format!("{qualifier}{base}"),
        }
    }
}

#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct FactTuple {
    pub entity: String,
    pub attribute: FactAttribute,
    /// In tenths of the unit.
    pub tenths: u32,
    /// A place in the lexicon.
    pub unit: usize,
    /// A year; zero where the text speaks of "now".
    pub period: u16,
}

impl FactTuple {
    /// Whether two facts speak of the same thing at the same time, whatever they say of it.
    pub fn same_key(&self, other: &Self) -> bool {
        self.entity == other.entity && self.attribute == other.attribute && self.period == other.period
    }

    pub(super) fn value(&self, language: FactLanguage) -> String {
        match (self.tenths % 10, language) {
            (0, _) => (self.tenths / 10).to_string(),
            (rest, FactLanguage::German) => format!("{},{rest}", self.tenths / 10),
            (rest, _) => format!("{}.{rest}", self.tenths / 10),
        }
    }

    pub(super) fn unit_words(&self, language: FactLanguage) -> &'static str {
        QUANTITIES.get(self.unit).map_or("", |quantity| language.of(&quantity.unit))
    }

    /// One sentence in one of the six wordings.
    pub(super) fn sentence(&self, language: FactLanguage, wording: usize) -> String {
        let form = match self.period {
            0 => language.of(&CURRENT),
            _ => language.of(&WORDINGS).get(wording % 6).copied().unwrap_or_default(),
        };
        self.filled(form, language)
    }

    /// The head of a column of a table: attribute, unit and year.
    pub(super) fn column(&self, language: FactLanguage) -> String {
        format!("{} ({}, {})", self.attribute.words(language), self.unit_words(language), self.period)
    }

    /// A form with this fact in its places.
    pub(super) fn filled(&self, form: &str, language: FactLanguage) -> String {
        form.replace("{a}", &self.attribute.words(language))
            .replace("{e}", &self.entity)
            .replace("{v}", &self.value(language))
            .replace("{u}", self.unit_words(language))
            .replace("{p}", &self.period.to_string())
    }
}
