//! Numbers with their units, scales, bounds and rounding, read from a text and compared.
//!
//! `1.204` may be a thousand or little more than one: both readings are kept, and a comparison takes the
//! better match, because a check that refutes must not fail over a comma.

use super::{
    number_words::{SpelledNumber, han_digit, han_number, is_one, spelled_number, takes_units, unit_digit},
    power::power_of_ten,
    scan::{ScanPiece, ScanPieceKind},
    unit::{self, Measure, Unit},
};

/// A number as a text says it.
#[derive(Debug, Clone, PartialEq)]
pub struct Quantity {
    pub start: usize,
    pub end: usize,
    pub value: f64,
    /// The other reading of an ambiguous separator.
    pub other: Option<f64>,
    /// Half of the last place that is written: the possible rounding error.
    pub slack: f64,
    pub unit: Unit,
    pub bound: QuantityBound,
    pub form: QuantityForm,
}

/// What the words before a number make of it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum QuantityBound {
    Exact,
    About,
    /// More than, at least, over.
    Above,
    /// Less than, at most, up to.
    Below,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum QuantityForm {
    Digits,
    /// Written as a word: pages often show such numbers by listing things instead.
    Word,
    Ordinal,
    /// `3.11.2`: compared by its text alone.
    Version,
}

/// How far an "about" may be off.
const ABOUT_SHARE: f64 = 0.06;
/// Conversions are rounded more freely than numbers: 5 km is "3 miles".
const CONVERSION_SHARE: f64 = 0.05;
/// A claim of "more than 12" is met by page values up to this many times 12; far larger ones are other facts.
const BOUND_REACH: f64 = 1.6;
/// From here on trailing zeros are taken as rounding.
const ROUND_FROM: f64 = 1000.0;

/// Reads the number that begins at `place`, and how many pieces it takes.
pub fn read(pieces: &[ScanPiece<'_>], place: usize) -> Option<(Quantity, usize)> {
    let first = pieces.get(place)?;
    let (mut quantity, mut taken) = match first.kind {
        ScanPieceKind::Digits => spaced(pieces, place).or_else(|| digits(first))?,
        ScanPieceKind::Word => words(pieces, place)?,
        ScanPieceKind::Han => han(pieces, place)?,
        ScanPieceKind::Sign => return None,
    };
    if quantity.form == QuantityForm::Version {
        return Some((quantity, taken));
    }
    taken += ordinal_suffix(pieces, place + taken, &mut quantity);
    taken += power_of_ten(pieces, place + taken, &mut quantity);
    taken += scales(pieces, place + taken, &mut quantity);
    taken += mixed_rest(pieces, place + taken, &mut quantity);
    taken += spelled_rest(pieces, place + taken, &mut quantity);
    taken += behind(pieces, place + taken, &mut quantity);
    before(pieces, place, &mut quantity);
    if let Some(last) = pieces.get(place + taken - 1) {
        quantity.end = last.end;
    }
    Some((quantity, taken))
}

impl Quantity {
    fn plain(start: usize, end: usize, value: f64, slack: f64, form: QuantityForm) -> Self {
        Self { start, end, value, other: None, slack, unit: Unit::COUNT, bound: QuantityBound::Exact, form }
    }

    /// Each reading with its own rounding: the other one is exact.
    fn readings(&self) -> impl Iterator<Item = (f64, f64)> {
        [Some((self.value, self.slack)), self.other.map(|other| (other, 0.0))].into_iter().flatten()
    }

    /// Both units are known and cannot be meant for one another.
    pub fn unit_differs(&self, page: &Self) -> bool {
        let (mine, theirs) = (self.unit, page.unit);
        let known = mine.measure != Measure::Count && theirs.measure != Measure::Count;
        known
            && (mine.measure != theirs.measure
                || (mine.factor - theirs.factor).abs() > f64::EPSILON * theirs.factor)
    }

    /// The page's number is this one: equal, or equal as far as this one is written out.
    pub fn agrees(&self, page: &Self) -> bool {
        if self.form == QuantityForm::Version || page.form == QuantityForm::Version {
            return false;
        }
        if self.unit.measure == page.unit.measure
            || self.unit.measure == Measure::Count
            || page.unit.measure == Measure::Count
        {
            let converted = self.unit.measure == page.unit.measure && self.unit.factor != page.unit.factor;
            return self.readings().any(|mine| {
                page.readings().any(|theirs| self.near(mine, theirs, page.unit.factor, converted))
            });
        }
        false
    }

    /// The written figures are the same, whatever the units say.
    pub fn same_figure(&self, page: &Self) -> bool {
        self.form != QuantityForm::Version
            && page.form != QuantityForm::Version
            && self.readings().any(|mine| page.readings().any(|theirs| equal(mine.0, theirs.0)))
    }

    fn near(&self, mine: (f64, f64), theirs: (f64, f64), their_factor: f64, converted: bool) -> bool {
        let ((mine, slack), (theirs, their_slack)) = (mine, theirs);
        if converted {
            let (mine, theirs) = (mine * self.unit.factor, theirs * their_factor);
            return (mine - theirs).abs() <= CONVERSION_SHARE * theirs.abs();
        }
        if equal(mine, theirs) {
            return true;
        }
        let off = (mine - theirs).abs();
        match self.bound {
            QuantityBound::About => off <= (ABOUT_SHARE * theirs.abs()).max(slack),
            QuantityBound::Above => theirs > mine && theirs <= mine * BOUND_REACH,
            QuantityBound::Below => theirs < mine && theirs * BOUND_REACH >= mine,
            QuantityBound::Exact if self.form != QuantityForm::Digits => false,
            QuantityBound::Exact => off <= slack && their_slack <= slack,
        }
    }

    /// The page is rounder than this number: `1,204,000` beside "1.2 million".
    pub fn finer_than(&self, page: &Self) -> bool {
        page.form == QuantityForm::Digits
            && self.readings().any(|mine| {
                page.readings().any(|theirs| theirs.1 > mine.1 && (mine.0 - theirs.0).abs() <= theirs.1)
            })
    }
}

fn equal(one: f64, other: f64) -> bool {
    (one - other).abs() <= 1e-9 * one.abs().max(other.abs())
}

fn digits(piece: &ScanPiece<'_>) -> Option<(Quantity, usize)> {
    let written: &str = &piece.folded;
    let mut groups: Vec<&str> = written.split(|letter: char| !letter.is_ascii_digit()).collect();
    let separators: Vec<char> = written.chars().filter(|letter| !letter.is_ascii_digit()).collect();
    groups.retain(|group| !group.is_empty());
    let whole = |text: &str| text.parse::<f64>().ok();
    let joined: String = groups.concat();
    let quantity = |value, slack| Quantity::plain(piece.start, piece.end, value, slack, QuantityForm::Digits);
    let first_length = groups.first().map_or(0, |group| group.len());
    let last = groups.last().copied().unwrap_or_default();
    let decimal = |head: &[&str]| whole(&format!("{}.{last}", head.concat()));
    let head = groups.get(..groups.len().saturating_sub(1)).unwrap_or_default();
    let tail_slack = 0.5 * 10_f64.powi(-i32::try_from(last.len()).unwrap_or(0));
    let read = match separators.as_slice() {
        [] => quantity(whole(&joined)?, whole_slack(&joined)),
        [only] if last.len() == 3 && first_length <= 3 && groups.first() != Some(&"0") => {
            let (as_whole, as_decimal) = (whole(&joined)?, decimal(head)?);
            let mut read = quantity(as_whole, whole_slack(&joined));
            match only {
                ',' => read.other = Some(as_decimal),
                '.' => {
                    read = quantity(as_decimal, tail_slack);
                    read.other = Some(as_whole);
                }
                _ => {}
            }
            read
        }
        [',' | '.' | '٫' | '，'] => quantity(decimal(head)?, tail_slack),
        [start, .., end] if start != end => quantity(decimal(head)?, tail_slack),
        [',', ..] | ['.', ..] | ['\'', ..] | ['’', ..] | ['\u{a0}' | '\u{202f}' | '\u{2009}', ..]
            if groups.iter().skip(1).all(|group| group.len() == 3) =>
        {
            quantity(whole(&joined)?, whole_slack(&joined))
        }
        [',', ..] if last.len() == 3 && head.iter().skip(1).all(|group| group.len() == 2) => {
            quantity(whole(&joined)?, whole_slack(&joined))
        }
        _ => Quantity { form: QuantityForm::Version, ..quantity(0.0, 0.0) },
    };
    Some((read, 1))
}

/// `1 200 000` with ordinary spaces. The first group alone stays a reading: two numbers may just be side by
/// side.
fn spaced(pieces: &[ScanPiece<'_>], place: usize) -> Option<(Quantity, usize)> {
    let first = pieces.get(place).filter(|piece| piece.folded.len() <= 3)?;
    let group = |piece: &&ScanPiece<'_>| {
        piece.kind == ScanPieceKind::Digits
            && piece.folded.len() == 3
            && piece.folded.bytes().all(|byte| byte.is_ascii_digit())
    };
    let mut joined = first.folded.to_string();
    let mut end = first.end;
    for piece in pieces.get(place + 1..)?.iter().take_while(group).take(4) {
        if piece.start != end + 1 {
            break;
        }
        joined.push_str(&piece.folded);
        end = piece.end;
    }
    let groups = joined.len().saturating_sub(first.folded.len()) / 3;
    if groups == 0 {
        return None;
    }
    let mut read =
        Quantity::plain(first.start, end, joined.parse().ok()?, whole_slack(&joined), QuantityForm::Digits);
    read.other = first.folded.parse().ok();
    Some((read, groups + 1))
}

/// Trailing zeros of a large number are rounding: 1,200 stands for 1,150 to 1,250.
fn whole_slack(digits: &str) -> f64 {
    let zeros = digits.len() - digits.trim_end_matches('0').len();
    let value: f64 = digits.parse().unwrap_or(0.0);
    if value < ROUND_FROM || zeros == 0 { 0.0 } else { 0.5 * 10_f64.powi(i32::try_from(zeros).unwrap_or(0)) }
}

fn words(pieces: &[ScanPiece<'_>], place: usize) -> Option<(Quantity, usize)> {
    let first = pieces.get(place)?;
    // An article counts before a scale: "one hundred", "eine Million".
    let one = || {
        let article = is_one(&first.folded) || matches!(&*first.folded, "ein" | "eine" | "einer");
        let next = pieces.get(place + 1).filter(|next| article && next.folded.chars().count() >= 4)?;
        unit::scale(&next.folded).map(|_| SpelledNumber::Cardinal(1.0))
    };
    let (mut value, form) = match spelled_number(&first.folded).or_else(one)? {
        SpelledNumber::Cardinal(value) => (value, QuantityForm::Word),
        SpelledNumber::Ordinal(value) => (value, QuantityForm::Ordinal),
    };
    let mut taken = 1;
    // French counts on from ten: "dix-sept", "soixante-dix-neuf".
    if form == QuantityForm::Word
        && first.folded == "dix"
        && pieces.get(place + 1).is_some_and(|piece| matches!(piece.text, "-" | "‑"))
        && let Some(units) = pieces.get(place + 2).and_then(|piece| unit_digit(&piece.folded))
        && units >= 7.0
    {
        return Some((Quantity::plain(first.start, first.end, value + units, 0.0, form), 3));
    }
    if form == QuantityForm::Word && takes_units(value) {
        let joint = |piece: &ScanPiece<'_>| matches!(piece.text, "-" | "‑" | "y" | "et");
        let skip = usize::from(pieces.get(place + 1).is_some_and(joint));
        if let Some(units) = pieces.get(place + 1 + skip).and_then(|piece| unit_digit(&piece.folded)) {
            value += units;
            taken += 1 + skip;
        }
    }
    Some((Quantity::plain(first.start, first.end, value, 0.0, form), taken))
}

fn han(pieces: &[ScanPiece<'_>], place: usize) -> Option<(Quantity, usize)> {
    let numeral = |piece: &&ScanPiece<'_>| {
        piece.kind == ScanPieceKind::Han
            && (han_digit(piece.text).is_some()
                || matches!(piece.text, "十" | "百" | "千" | "万" | "萬" | "亿" | "億"))
    };
    let run: Vec<&ScanPiece<'_>> = pieces.get(place..)?.iter().take_while(numeral).take(16).collect();
    let (first, last) = (run.first()?, run.last()?);
    if !run.iter().any(|piece| han_digit(piece.text).is_some() || piece.text == "十") {
        return None;
    }
    let counted = pieces.get(place + run.len()).is_some_and(|next| {
        matches!(
            next.text,
            "年" | "月"
                | "日"
                | "人"
                | "个"
                | "個"
                | "名"
                | "次"
                | "回"
                | "倍"
                | "岁"
                | "歳"
                | "元"
                | "円"
                | "天"
                | "条"
                | "條"
                | "家"
                | "座"
                | "所"
                | "项"
                | "位"
                | "件"
                | "台"
                | "辆"
                | "艘"
                | "本"
                | "枚"
                | "校"
                | "社"
                | "期"
                | "级"
                | "カ"
                | "ヶ"
                | "か"
                | "割"
                | "成"
                | "种"
                | "種"
                | "つ"
                | "％"
                | "%"
        )
    });
    // A single Han digit is as often part of a word as a number.
    if run.len() < 2 && !counted {
        return None;
    }
    let value = han_number(run.iter().map(|piece| piece.text))?;
    Some((Quantity::plain(first.start, last.end, value, 0.0, QuantityForm::Word), run.len()))
}

fn ordinal_suffix(pieces: &[ScanPiece<'_>], place: usize, quantity: &mut Quantity) -> usize {
    let Some(next) = pieces.get(place).filter(|next| !next.apart) else { return 0 };
    let suffix = matches!(&*next.folded, "st" | "nd" | "rd" | "th" | "er" | "e" | "eme")
        || matches!(next.text, "º" | "ª");
    if suffix && quantity.form == QuantityForm::Digits {
        quantity.form = QuantityForm::Ordinal;
        return 1;
    }
    0
}

fn scales(pieces: &[ScanPiece<'_>], place: usize, quantity: &mut Quantity) -> usize {
    let mut taken = 0;
    // "two hundred thousand", "3.5 mil millones": at most three words.
    while taken < 3 {
        let Some(next) = pieces.get(place + taken) else { break };
        let letter = if next.apart { None } else { unit::scale_letter(&next.folded) };
        let tight = next.folded.chars().count() > 1 || !next.apart || next.kind == ScanPieceKind::Han;
        let Some(times) =
            unit::scale(&next.folded).filter(|_| tight).or(letter.filter(|_| next.folded == "k"))
        else {
            break;
        };
        quantity.value *= times;
        quantity.other = quantity.other.map(|other| other * times);
        quantity.slack = quantity
            .slack
            .max(if quantity.form == QuantityForm::Digits && quantity.slack == 0.0 { 0.5 } else { 0.0 })
            * times;
        taken += 1;
        if pieces.get(place + taken).is_some_and(|dot| dot.text == "." && !dot.apart)
            && next.folded.len() <= 6
            && is_short(&next.folded)
        {
            taken += 1;
        }
    }
    taken
}

/// `4万1500`, `1億2000万`: digits with their scale right behind a larger one.
fn mixed_rest(pieces: &[ScanPiece<'_>], place: usize, quantity: &mut Quantity) -> usize {
    let is_dense = |piece: &&ScanPiece<'_>| {
        matches!(piece.text, "千" | "万" | "萬" | "亿" | "億" | "兆" | "천" | "만" | "억" | "조")
    };
    let last = place.checked_sub(1).and_then(|last| pieces.get(last)).filter(is_dense);
    let Some(mut least) = last.and_then(|last| unit::scale(&last.folded)) else { return 0 };
    let mut taken = 0;
    while quantity.form == QuantityForm::Digits {
        let next = pieces.get(place + taken).filter(|next| {
            next.kind == ScanPieceKind::Digits
                && !next.apart
                && next.folded.bytes().all(|byte| byte.is_ascii_digit())
        });
        let Some(value) = next.and_then(|next| next.folded.parse::<f64>().ok()) else { break };
        let behind = pieces.get(place + taken + 1).filter(|piece| is_dense(piece) && !piece.apart);
        let times = behind.and_then(|behind| unit::scale(&behind.folded));
        let rest = value * times.unwrap_or(1.0);
        if rest >= least {
            break;
        }
        quantity.value += rest;
        quantity.slack = times.map_or(0.0, |times| 0.5 * times);
        quantity.other = None;
        taken += 1 + usize::from(times.is_some());
        let Some(times) = times else { break };
        least = times;
    }
    taken
}

/// `one hundred and forty`, `two thousand three hundred`: what is added to a spelled number of hundreds.
fn spelled_rest(pieces: &[ScanPiece<'_>], place: usize, quantity: &mut Quantity) -> usize {
    if quantity.form != QuantityForm::Word || quantity.value < 100.0 || quantity.value % 100.0 != 0.0 {
        return 0;
    }
    let joint = |piece: &ScanPiece<'_>| matches!(&*piece.folded, "and" | "und" | "et" | "y" | "e");
    let skip = usize::from(pieces.get(place).is_some_and(joint));
    let Some((rest, taken)) = words(pieces, place + skip) else { return 0 };
    let mut rest = Quantity { form: QuantityForm::Digits, ..rest };
    let more = scales(pieces, place + skip + taken, &mut rest);
    let fits = rest.value >= 1.0 && rest.value < quantity.value && rest.value.fract() == 0.0;
    let follows = fits && (rest.value < 100.0 || quantity.value % 1000.0 == 0.0);
    if !follows {
        return 0;
    }
    quantity.value += rest.value;
    skip + taken + more
}

fn is_short(word: &str) -> bool {
    matches!(word, "mio" | "mrd" | "tsd" | "тыс" | "млн" | "млрд" | "bn" | "mn")
}

/// The unit after the number: one piece, two joined ones (`km/h`, `公里`, `° C`), or "per cent", "percentage
/// points".
fn behind(pieces: &[ScanPiece<'_>], place: usize, quantity: &mut Quantity) -> usize {
    let hyphen = usize::from(pieces.get(place).is_some_and(|piece| piece.text == "-" && !piece.apart));
    let place = place + hyphen;
    let folded = |offset: usize| {
        pieces
            .get(place + offset)
            .map_or("", |piece| if piece.folded.is_empty() { piece.text } else { &*piece.folded })
    };
    let (first, second, third) = (folded(0), folded(1), folded(2));
    let named = match (first, second, third) {
        ("percentage" | "percent", "point" | "points", _) => Some((Measure::PercentagePoint, 1.0, 2)),
        ("%" | "％", "points" | "point", _) => Some((Measure::PercentagePoint, 1.0, 2)),
        ("points" | "puntos" | "процентных", "de" | "porcentuales" | "пунктов" | "пункта", _) => {
            Some((Measure::PercentagePoint, 1.0, 2))
        }
        ("个" | "個", "百", "分") => Some((Measure::PercentagePoint, 1.0, 3)),
        (
            "puntos" | "pontos" | "punti" | "punkty" | "punktow",
            "porcentuales" | "percentuais" | "percentuali" | "procentowe" | "procentowych",
            _,
        ) => Some((Measure::PercentagePoint, 1.0, 2)),
        ("パーセント" | "퍼센트", "ポイント" | "포인트", _)
        | ("%" | "％", "ポイント" | "포인트" | "p", _) => Some((Measure::PercentagePoint, 1.0, 2)),
        ("نقطة" | "نقاط", "مئوية", _) => Some((Measure::PercentagePoint, 1.0, 2)),
        ("في", "المئة" | "المائة", _) => Some((Measure::Percent, 1.0, 2)),
        ("kilometros" | "quilometros", "cuadrados" | "quadrados", _)
        | ("kilometres", "carres", _)
        | ("chilometri", "quadrati", _)
        | ("kilometrow", "kwadratowych", _)
        | ("كيلومتر" | "كيلومترا", "مربع" | "مربعا", _)
        | ("квадратных", "километров", _) => Some((Measure::Area, 1e6, 2)),
        ("metros", "cuadrados" | "quadrados", _)
        | ("metres", "carres", _)
        | ("metri", "quadrati", _)
        | ("metrow", "kwadratowych", _)
        | ("متر" | "مترا", "مربع" | "مربعا", _)
        | ("квадратных", "метров", _) => Some((Measure::Area, 1.0, 2)),
        ("miles" | "kilometres" | "kilometers", "per" | "an", "hour") => {
            Some((Measure::Speed, if first == "miles" { 0.447_04 } else { 0.277_778 }, 3))
        }
        ("cubic", "metres" | "meters" | "metre" | "meter", _)
        | ("metres", "cubes", _)
        | ("metros", "cubicos", _)
        | ("metri", "cubi", _)
        | ("metrow", "szesciennych", _)
        | ("متر", "مكعب", _) => Some((Measure::Volume, 1e3, 2)),
        ("cubic", "kilometres" | "kilometers", _) => Some((Measure::Volume, 1e12, 2)),
        ("degrees" | "degres" | "grados" | "grad", "celsius", _) => Some((Measure::Celsius, 1.0, 2)),
        ("degrees" | "degres" | "grados" | "grad", "fahrenheit", _) => Some((Measure::Fahrenheit, 1.0, 2)),
        ("per" | "pour" | "por", "cent" | "ciento" | "cento", _) => Some((Measure::Percent, 1.0, 2)),
        ("square", "miles" | "mile", _) => Some((Measure::Area, 2.59e6, 2)),
        ("square", "kilometers" | "kilometres", _) => Some((Measure::Area, 1e6, 2)),
        ("square", "feet" | "foot", _) => Some((Measure::Area, 0.0929, 2)),
        ("square", "meters" | "metres", _) => Some((Measure::Area, 1.0, 2)),
        ("us" | "u.s" | "american", "dollars" | "$", _) => Some((Measure::Dollar, 1.0, 2)),
        ("美" | "米", "元" | "ドル", _) => Some((Measure::Dollar, 1.0, 2)),
        ("欧" | "歐", "元", _) => Some((Measure::Euro, 1.0, 2)),
        ("日", "元", _) => Some((Measure::Yen, 1.0, 2)),
        ("km" | "m", "/", "h" | "s") => {
            Some(if third == "h" { (Measure::Speed, 0.277_778, 3) } else { (Measure::Speed, 1.0, 3) })
        }
        _ => None,
    };
    if let Some((measure, factor, taken)) = named {
        quantity.unit = Unit { measure, factor };
        return hyphen + taken;
    }
    let joined = format!("{first}{second}");
    if let Some(found) =
        unit::unit(&joined).filter(|_| !pieces.get(place + 1).is_none_or(|piece| piece.apart))
    {
        quantity.unit = found;
        return hyphen + 2;
    }
    // "m" and the like are units only right beside digits; "a" and "an" never are.
    let single = first.chars().count() == 1 && first.is_ascii() && first.chars().all(char::is_alphabetic);
    let followed = single
        && pieces.get(place + 1).is_some_and(|next| !next.apart && matches!(next.text, "'" | "’" | "."));
    if let Some(found) =
        unit::unit(first).filter(|_| !followed && first != "an" && quantity.form != QuantityForm::Ordinal)
    {
        quantity.unit = found;
        return hyphen + 1;
    }
    0
}

/// Currency signs and the words that bound a number, looking back.
pub(super) fn before(pieces: &[ScanPiece<'_>], place: usize, quantity: &mut Quantity) {
    let mut back = place;
    let mut step = || {
        back = back.checked_sub(1)?;
        pieces.get(back)
    };
    let mut last = step();
    if let Some(piece) = last {
        let sign = if piece.folded.is_empty() { piece.text } else { &*piece.folded };
        if let Some(found) = unit::sign_before(sign) {
            quantity.unit = found;
            quantity.start = piece.start;
            last = step();
            if last.is_some_and(|piece| matches!(&*piece.folded, "us" | "u" | "a" | "c" | "hk")) {
                last = step();
            }
        }
    }
    let Some(piece) = last else { return };
    let earlier = step().map_or("", |piece| &*piece.folded);
    quantity.bound = bound(earlier, &piece.folded, piece.text).unwrap_or(QuantityBound::Exact);
    if quantity.bound == QuantityBound::Exact
        && let Some(after) = pieces.get(pieces.partition_point(|piece| piece.start < quantity.end))
    {
        quantity.bound = match &*after.folded {
            "以" => QuantityBound::Above,
            "未" | "弱" => QuantityBound::Below,
            "强" | "強" | "余" | "多" => QuantityBound::Above,
            "左" | "前" if after.kind == ScanPieceKind::Han => QuantityBound::About,
            _ => QuantityBound::Exact,
        };
    }
}

fn bound(earlier: &str, word: &str, text: &str) -> Option<QuantityBound> {
    Some(match (earlier, word) {
        ("more" | "greater" | "higher" | "longer" | "larger" | "older", "than")
        | ("at", "least")
        | ("no", "fewer") => QuantityBound::Above,
        ("less" | "fewer" | "lower" | "shorter" | "smaller" | "younger", "than")
        | ("at", "most")
        | ("up", "to") => QuantityBound::Below,
        ("mehr" | "grosser" | "langer", "als")
        | ("plus" | "mas", "de")
        | ("au", "moins")
        | ("al" | "por" | "como", "menos" | "minimo") => QuantityBound::Above,
        ("weniger" | "kleiner", "als")
        | ("bis", "zu")
        | ("moins" | "menos", "de")
        | ("au", "plus")
        | ("como", "maximo") => QuantityBound::Below,
        ("не", "менее") => QuantityBound::Above,
        ("не", "более") => QuantityBound::Below,
        ("超", "过") | ("至", "少") | ("高", "达") => QuantityBound::Above,
        ("不", "到") | ("最", "多") | ("低", "于") => QuantityBound::Below,
        ("大", "约") | ("将", "近") => QuantityBound::About,
        (_, "over" | "exceeding" | "above" | "uber" | "mindestens" | "более" | "свыше") => {
            QuantityBound::Above
        }
        (_, "under" | "below" | "unter" | "hochstens" | "hasta" | "jusqu" | "менее") => {
            QuantityBound::Below
        }
        (
            _,
            "about" | "around" | "approximately" | "roughly" | "nearly" | "almost" | "circa" | "ca" | "some"
            | "estimated" | "rund" | "etwa" | "ungefahr" | "fast" | "knapp" | "environ" | "presque" | "unos"
            | "unas" | "aproximadamente" | "casi" | "alrededor" | "около" | "примерно" | "почти" | "约"
            | "約" | "近",
        ) => QuantityBound::About,
        ("pres" | "alrededor", "de") => QuantityBound::About,
        _ if matches!(text, "~" | "≈") => QuantityBound::About,
        _ if matches!(text, ">" | "≥") => QuantityBound::Above,
        _ if matches!(text, "<" | "≤") => QuantityBound::Below,
        _ => return None,
    })
}
