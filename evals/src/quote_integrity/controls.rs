//! The usual checks: the text as it is, and a likeness in percent.

/// What others take for "the same".
pub const FUZZY_MIN: f64 = 0.90;

pub struct ControlMatcher {
    text: Vec<char>,
}

impl ControlMatcher {
    pub fn of(page: &str) -> Self {
        Self { text: normalised(page) }
    }

    pub fn has_as_it_is(&self, quote: &str) -> bool {
        let quote = normalised(quote);
        self.text.windows(quote.len().max(1)).any(|window| window == quote)
    }

    /// One minus the letters to change for each letter of the quotation, at the best place of the page.
    pub fn likeness(&self, quote: &str) -> f64 {
        let quote = normalised(quote);
        // A column of edits, one for each letter of the quotation; it may begin anywhere on the page.
        let mut column: Vec<u32> = (0..=u32::try_from(quote.len()).unwrap_or(u32::MAX)).collect();
        let mut fewest = column.last().copied().unwrap_or(0);
        for letter in &self.text {
            let mut diagonal = 0;
            let mut above = 0;
            for (wanted, cell) in quote.iter().zip(column.iter_mut().skip(1)) {
                let change = diagonal + u32::from(wanted != letter);
                diagonal = *cell;
                above = change.min(diagonal + 1).min(above + 1);
                *cell = above;
            }
            fewest = fewest.min(above);
        }
        1.0 - f64::from(fewest) / quote.len().max(1) as f64
    }
}

fn normalised(text: &str) -> Vec<char> {
    let straight = |c: char| match c {
        '’' | '‘' => '\'',
        '“' | '”' => '"',
        _ => c,
    };
    let lower: String = text.to_lowercase();
    lower.split_whitespace().collect::<Vec<_>>().join(" ").chars().map(straight).collect()
}
