//! Arithmetic over names and numbers: `+ - × ÷ ^ %` and parentheses, with units carried along. Bounded.

use crate::value::Measure;

/// Characters of an expression; a longer one is not something a reader could follow.
const EXPRESSION_BYTES_MAX: usize = 500;
/// Parentheses and powers inside each other.
const DEPTH_MAX: u32 = 16;

/// Why nothing can be computed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum FormulaError {
    NotArithmetic,
    TooLong,
    UnknownName(String),
    UnitsDiffer,
    DivisionByZero,
    NotFinite,
}

/// A value during evaluation.
#[derive(Debug, Clone, PartialEq)]
pub struct FormulaNumber {
    /// In the measures' own sizes.
    pub base: f64,
    /// As the units were written: dollars per kilogram stay that.
    pub written: f64,
    pub dimensions: Vec<(Measure, i32)>,
    /// A share may be added to a share only.
    pub is_percent: bool,
}

impl FormulaNumber {
    fn plain(value: f64) -> Self {
        Self { base: value, written: value, dimensions: Vec::new(), is_percent: false }
    }

    fn add(self, other: Self, sign: f64) -> Result<Self, FormulaError> {
        let is_bare = |number: &Self| number.dimensions.is_empty() && !number.is_percent;
        let fits = self.dimensions == other.dimensions && self.is_percent == other.is_percent;
        let is_one_bare = is_bare(&self) || is_bare(&other);
        if !fits && !is_one_bare {
            return Err(FormulaError::UnitsDiffer);
        }
        // `1 + 5%` is a factor of growth; what `100 + 5%` means is ambiguous.
        let is_one = |number: &Self| is_bare(number) && number.base == 1.0;
        if !fits && (self.is_percent || other.is_percent) && !is_one(&self) && !is_one(&other) {
            return Err(FormulaError::UnitsDiffer);
        }
        // A number without a unit beside one with a unit is meant in that unit.
        let scale = |number: &Self| if number.written == 0.0 { 1.0 } else { number.base / number.written };
        let (mine, theirs) = match (is_bare(&self), is_bare(&other)) {
            (true, false) => (self.base * scale(&other), other.base),
            (false, true) => (self.base, other.base * scale(&self)),
            _ => (self.base, other.base),
        };
        let dimensions = if is_bare(&self) { other.dimensions } else { self.dimensions };
        let base = mine + sign * theirs;
        Ok(Self {
            base,
            written: self.written + sign * other.written,
            dimensions,
            is_percent: fits && self.is_percent,
        })
    }

    fn multiply(mut self, other: &Self, power: i32) -> Result<Self, FormulaError> {
        if power < 0 && other.base == 0.0 {
            return Err(FormulaError::DivisionByZero);
        }
        self.base *= other.base.powi(power);
        self.written *= other.written.powi(power);
        for (measure, own) in &other.dimensions {
            match self.dimensions.iter_mut().find(|(known, _)| known == measure) {
                Some((_, known)) => *known += own * power,
                None => self.dimensions.push((*measure, own * power)),
            }
        }
        self.dimensions.retain(|(_, power)| *power != 0);
        self.is_percent = false;
        Ok(self)
    }

    fn power(self, exponent: &Self) -> Result<Self, FormulaError> {
        if !self.dimensions.is_empty() || !exponent.dimensions.is_empty() {
            return Err(FormulaError::UnitsDiffer);
        }
        let value = self.base.powf(exponent.base);
        Ok(Self::plain(value))
    }
}

#[derive(Debug, Clone, PartialEq)]
enum FormulaToken {
    Name(String),
    Number(f64),
    Sign(char),
}

/// Computes an expression whose names `value_of` knows.
pub fn evaluate(
    expression: &str,
    value_of: impl Fn(&str) -> Option<FormulaNumber>,
) -> Result<FormulaNumber, FormulaError> {
    let tokens = tokens(expression)?;
    let mut parser = FormulaParser { tokens: &tokens, at: 0, value_of: &value_of };
    let number = parser.sum(0)?;
    if parser.at < tokens.len() {
        return Err(FormulaError::NotArithmetic);
    }
    if number.base.is_finite() && number.written.is_finite() {
        Ok(number)
    } else {
        Err(FormulaError::NotFinite)
    }
}

fn tokens(expression: &str) -> Result<Vec<FormulaToken>, FormulaError> {
    if expression.len() > EXPRESSION_BYTES_MAX {
        return Err(FormulaError::TooLong);
    }
    let mut found = Vec::new();
    let mut rest = expression.trim_start();
    while let Some(c) = rest.chars().next() {
        let length = if c.is_ascii_alphabetic() {
            let length = rest
                .find(|c: char| !c.is_ascii_alphanumeric() && !matches!(c, '.' | '_'))
                .unwrap_or(rest.len());
            found.push(FormulaToken::Name(rest.get(..length).unwrap_or_default().to_owned()));
            length
        } else if c.is_ascii_digit() || c == '.' {
            let length =
                rest.find(|c: char| !c.is_ascii_digit() && !matches!(c, '.' | ',')).unwrap_or(rest.len());
            let digits = rest.get(..length).unwrap_or_default().replace(',', "");
            found.push(FormulaToken::Number(digits.parse().map_err(|_| FormulaError::NotArithmetic)?));
            length
        } else {
            let sign = match c {
                '+' | '(' | ')' | '^' | '%' => c,
                '-' | '−' | '–' => '-',
                '*' | '×' | '·' | '⋅' | '∙' => '*',
                '/' | '÷' | '∕' => '/',
                _ => return Err(FormulaError::NotArithmetic),
            };
            found.push(FormulaToken::Sign(sign));
            c.len_utf8()
        };
        rest = rest.get(length..).unwrap_or_default().trim_start();
    }
    Ok(found)
}

struct FormulaParser<'a, F> {
    tokens: &'a [FormulaToken],
    at: usize,
    value_of: &'a F,
}

impl<F: Fn(&str) -> Option<FormulaNumber>> FormulaParser<'_, F> {
    fn takes(&mut self, signs: &[char]) -> Option<char> {
        match self.tokens.get(self.at) {
            Some(FormulaToken::Sign(sign)) if signs.contains(sign) => {
                self.at += 1;
                Some(*sign)
            }
            _ => None,
        }
    }

    fn sum(&mut self, depth: u32) -> Result<FormulaNumber, FormulaError> {
        let mut number = self.product(depth)?;
        while let Some(sign) = self.takes(&['+', '-']) {
            let other = self.product(depth)?;
            number = number.add(other, if sign == '+' { 1.0 } else { -1.0 })?;
        }
        Ok(number)
    }

    fn product(&mut self, depth: u32) -> Result<FormulaNumber, FormulaError> {
        let mut number = self.raised(depth)?;
        while let Some(sign) = self.takes(&['*', '/']) {
            let other = self.raised(depth)?;
            number = number.multiply(&other, if sign == '*' { 1 } else { -1 })?;
        }
        Ok(number)
    }

    fn raised(&mut self, depth: u32) -> Result<FormulaNumber, FormulaError> {
        if depth > DEPTH_MAX {
            return Err(FormulaError::TooLong);
        }
        if self.takes(&['-']).is_some() {
            return self.raised(depth + 1)?.multiply(&FormulaNumber::plain(-1.0), 1);
        }
        let mut number = self.atom(depth)?;
        while self.takes(&['%']).is_some() {
            number = number.multiply(&FormulaNumber::plain(0.01), 1)?;
            number.is_percent = true;
        }
        if self.takes(&['^']).is_some() {
            let exponent = self.raised(depth + 1)?;
            return number.power(&exponent);
        }
        Ok(number)
    }

    fn atom(&mut self, depth: u32) -> Result<FormulaNumber, FormulaError> {
        let token = self.tokens.get(self.at).cloned();
        self.at += 1;
        match token {
            Some(FormulaToken::Number(value)) => Ok(FormulaNumber::plain(value)),
            Some(FormulaToken::Name(name)) => (self.value_of)(&name).ok_or(FormulaError::UnknownName(name)),
            Some(FormulaToken::Sign('(')) => {
                let number = self.sum(depth + 1)?;
                self.takes(&[')']).map(|_| number).ok_or(FormulaError::NotArithmetic)
            }
            Some(FormulaToken::Sign(_)) | None => Err(FormulaError::NotArithmetic),
        }
    }
}
