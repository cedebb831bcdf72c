//! Arithmetic over names and numbers: `+ - × ÷ ^ %` and parentheses, with units carried along. Bounded.

use crate::value::Measure;

/// Characters of an expression; a longer one is not something a reader could follow.
const EXPRESSION_BYTES_MAX: usize = 500;
/// Parentheses and powers inside each other.
const DEPTH_MAX: u32 = 16;

/// Why nothing can be computed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Why {
    NotArithmetic,
    TooLong,
    UnknownClaim(String),
    NoNumber(String),
    SeveralNumbers(String),
    UnitsDiffer,
    DivisionByZero,
    NotFinite,
}

/// A value on its way through an expression.
#[derive(Debug, Clone, PartialEq)]
pub struct Number {
    /// In the measures' own sizes.
    pub base: f64,
    /// As the units were written: dollars per kilogram stay that.
    pub written: f64,
    pub dimensions: Vec<(Measure, i32)>,
    /// A share may be added to a share only.
    pub is_percent: bool,
}

impl Number {
    fn plain(value: f64) -> Self {
        Self { base: value, written: value, dimensions: Vec::new(), is_percent: false }
    }

    fn add(self, other: Self, sign: f64) -> Result<Self, Why> {
        let is_bare = |number: &Self| number.dimensions.is_empty() && !number.is_percent;
        let fits = self.dimensions == other.dimensions && self.is_percent == other.is_percent;
        let is_one_bare = is_bare(&self) || is_bare(&other);
        if !fits && !is_one_bare {
            return Err(Why::UnitsDiffer);
        }
        // `1 + 5%` is a factor of growth; what `100 + 5%` means is not told.
        let is_one = |number: &Self| is_bare(number) && number.base == 1.0;
        if !fits && (self.is_percent || other.is_percent) && !is_one(&self) && !is_one(&other) {
            return Err(Why::UnitsDiffer);
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

    fn multiply(mut self, other: &Self, power: i32) -> Result<Self, Why> {
        if power < 0 && other.base == 0.0 {
            return Err(Why::DivisionByZero);
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

    fn power(self, exponent: &Self) -> Result<Self, Why> {
        if !self.dimensions.is_empty() || !exponent.dimensions.is_empty() {
            return Err(Why::UnitsDiffer);
        }
        let value = self.base.powf(exponent.base);
        Ok(Self::plain(value))
    }
}

#[derive(Debug, Clone, PartialEq)]
enum Token {
    Name(String),
    Number(f64),
    Sign(char),
}

/// The names in an expression, each once.
pub fn names(expression: &str) -> Result<Vec<String>, Why> {
    let mut found: Vec<String> = Vec::new();
    for token in tokens(expression)? {
        if let Token::Name(name) = token
            && !found.contains(&name)
        {
            found.push(name);
        }
    }
    Ok(found)
}

/// Computes an expression whose names `value_of` knows.
pub fn evaluate(expression: &str, value_of: impl Fn(&str) -> Option<Number>) -> Result<Number, Why> {
    let tokens = tokens(expression)?;
    let mut parser = Parser { tokens: &tokens, at: 0, value_of: &value_of };
    let number = parser.sum(0)?;
    if parser.at < tokens.len() {
        return Err(Why::NotArithmetic);
    }
    if number.base.is_finite() && number.written.is_finite() { Ok(number) } else { Err(Why::NotFinite) }
}

fn tokens(expression: &str) -> Result<Vec<Token>, Why> {
    if expression.len() > EXPRESSION_BYTES_MAX {
        return Err(Why::TooLong);
    }
    let mut found = Vec::new();
    let mut rest = expression.trim_start();
    while let Some(c) = rest.chars().next() {
        let length = if c.is_ascii_alphabetic() {
            let length = rest
                .find(|c: char| !c.is_ascii_alphanumeric() && !matches!(c, '.' | '_'))
                .unwrap_or(rest.len());
            found.push(Token::Name(rest.get(..length).unwrap_or_default().to_owned()));
            length
        } else if c.is_ascii_digit() || c == '.' {
            let length =
                rest.find(|c: char| !c.is_ascii_digit() && !matches!(c, '.' | ',')).unwrap_or(rest.len());
            let digits = rest.get(..length).unwrap_or_default().replace(',', "");
            found.push(Token::Number(digits.parse().map_err(|_| Why::NotArithmetic)?));
            length
        } else {
            let sign = match c {
                '+' | '(' | ')' | '^' | '%' => c,
                '-' | '−' | '–' => '-',
                '*' | '×' | '·' | '⋅' | '∙' => '*',
                '/' | '÷' | '∕' => '/',
                _ => return Err(Why::NotArithmetic),
            };
            found.push(Token::Sign(sign));
            c.len_utf8()
        };
        rest = rest.get(length..).unwrap_or_default().trim_start();
    }
    Ok(found)
}

struct Parser<'a, F> {
    tokens: &'a [Token],
    at: usize,
    value_of: &'a F,
}

impl<F: Fn(&str) -> Option<Number>> Parser<'_, F> {
    fn takes(&mut self, signs: &[char]) -> Option<char> {
        match self.tokens.get(self.at) {
            Some(Token::Sign(sign)) if signs.contains(sign) => {
                self.at += 1;
                Some(*sign)
            }
            _ => None,
        }
    }

    fn sum(&mut self, depth: u32) -> Result<Number, Why> {
        let mut number = self.product(depth)?;
        while let Some(sign) = self.takes(&['+', '-']) {
            let other = self.product(depth)?;
            number = number.add(other, if sign == '+' { 1.0 } else { -1.0 })?;
        }
        Ok(number)
    }

    fn product(&mut self, depth: u32) -> Result<Number, Why> {
        let mut number = self.raised(depth)?;
        while let Some(sign) = self.takes(&['*', '/']) {
            let other = self.raised(depth)?;
            number = number.multiply(&other, if sign == '*' { 1 } else { -1 })?;
        }
        Ok(number)
    }

    fn raised(&mut self, depth: u32) -> Result<Number, Why> {
        if depth > DEPTH_MAX {
            return Err(Why::TooLong);
        }
        if self.takes(&['-']).is_some() {
            return self.raised(depth + 1)?.multiply(&Number::plain(-1.0), 1);
        }
        let mut number = self.atom(depth)?;
        while self.takes(&['%']).is_some() {
            number = number.multiply(&Number::plain(0.01), 1)?;
            number.is_percent = true;
        }
        if self.takes(&['^']).is_some() {
            let exponent = self.raised(depth + 1)?;
            return number.power(&exponent);
        }
        Ok(number)
    }

    fn atom(&mut self, depth: u32) -> Result<Number, Why> {
        let token = self.tokens.get(self.at).cloned();
        self.at += 1;
        match token {
            Some(Token::Number(value)) => Ok(Number::plain(value)),
            Some(Token::Name(name)) => (self.value_of)(&name).ok_or(Why::UnknownClaim(name)),
            Some(Token::Sign('(')) => {
                let number = self.sum(depth + 1)?;
                self.takes(&[')']).map(|_| number).ok_or(Why::NotArithmetic)
            }
            Some(Token::Sign(_)) | None => Err(Why::NotArithmetic),
        }
    }
}
