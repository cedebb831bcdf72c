//! Numbers written as words, in English, German, French and Spanish.
//!
//! Only what reports use: up to a hundred, dozens, halves and ordinals; scales are read in `number.rs`.

use std::sync::LazyLock;

use crate::word_table::WordTable;

/// A spelled part of a number: `twenty` and `three` add up, so each says what it is.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum SpelledNumber {
    Cardinal(f64),
    Ordinal(f64),
}

/// What a folded word says; articles (`one`, `ein`, `un`) are left out because they seldom count.
pub fn spelled_number(word: &str) -> Option<SpelledNumber> {
    SPELLED.get(word).copied().or_else(|| german_compound(word).map(SpelledNumber::Cardinal))
}

/// `twenty`, to which a unit may follow: `twenty-three`, `treinta y dos`, `soixante-douze`.
pub fn takes_units(value: f64) -> bool {
    (20.0..100.0).contains(&value) && value % 10.0 == 0.0
}

/// The digits that follow tens; here articles do count: `twenty-one`, `treinta y uno`.
pub fn unit_digit(word: &str) -> Option<f64> {
    match is_one(word) {
        true => Some(1.0),
        false => cardinal(word).filter(|value| (1.0..20.0).contains(value)),
    }
}

/// The articles that count as one.
pub fn is_one(word: &str) -> bool {
    matches!(word, "one" | "un" | "une" | "uno" | "una")
}

/// Folded words for each number.
const CARDINALS: &[(f64, &str)] = &[
    (0.0, "zero null cero"),
    (2.0, "two zwei deux dos both beide beiden twee два две dois duas iki اثنان"),
    (3.0, "three drei trois tres drie три"),
    (4.0, "four vier quatre cuatro quattro quatro четыре أربعة"),
    (5.0, "five funf cinq cinco cinque vijf пять خمسة"),
    (6.0, "six sechs seis zes шесть ستة"),
    (7.0, "seven sieben sept siete zeven sete семь yedi سبعة"),
    (8.0, "eight acht huit ocho oito восемь sekiz ثمانية"),
    (9.0, "nine neun neuf nueve negen девять dokuz تسعة"),
    (10.0, "ten zehn dix diez dieci tien dez десять عشرة"),
    (11.0, "eleven elf onze once undici одиннадцать"),
    (12.0, "twelve zwolf douze doce dozen dutzend douzaine docena dodici twaalf doze двенадцать"),
    (13.0, "thirteen dreizehn treize trece tredici treze тринадцать"),
    (14.0, "fourteen vierzehn quatorze catorce quattordici четырнадцать"),
    (15.0, "fifteen funfzehn quinze quince quindici пятнадцать"),
    (16.0, "sixteen sechzehn seize dieciseis sedici dezesseis dezasseis шестнадцать"),
    (17.0, "seventeen siebzehn diecisiete diciassette dezessete dezassete семнадцать"),
    (18.0, "eighteen achtzehn dieciocho diciotto dezoito восемнадцать"),
    (19.0, "nineteen neunzehn diecinueve diciannove dezenove dezanove девятнадцать"),
    (20.0, "twenty zwanzig vingt veinte venti twintig vinte двадцать yirmi عشرون عشرين"),
    (21.0, "veintiuno"),
    (22.0, "veintidos"),
    (23.0, "veintitres"),
    (24.0, "veinticuatro"),
    (25.0, "veinticinco"),
    (30.0, "thirty dreissig trente treinta trenta dertig trinta тридцать otuz ثلاثون ثلاثين"),
    (40.0, "forty vierzig quarante cuarenta quaranta quarenta veertig сорок أربعين"),
    (50.0, "fifty funfzig cinquante cincuenta cinquanta vijftig cinquenta пятьдесят خمسين"),
    (60.0, "sixty sechzig soixante sesenta sessanta zestig sessenta шестьдесят altmis ستين"),
    (70.0, "seventy siebzig septante setenta settanta zeventig семьдесят yetmis سبعين"),
    (80.0, "eighty achtzig ochenta ottanta tachtig oitenta восемьдесят seksen ثمانين"),
    (90.0, "ninety neunzig nonante noventa novanta negentig девяносто doksan تسعين"),
    (100.0, "cent cien ciento einhundert honderd cem сто مئة"),
    (200.0, "doscientos doscientas duecento duzentos duzentas двести"),
    (300.0, "trescientos trescientas trecento trezentos trezentas триста"),
    (400.0, "cuatrocientos cuatrocientas quattrocento quatrocentos четыреста"),
    (500.0, "quinientos quinientas cinquecento quinhentos quinhentas пятьсот"),
    (600.0, "seiscientos seiscientas seicento seiscentos шестьсот"),
    (700.0, "setecientos setecientas settecento setecentos семьсот"),
    (800.0, "ochocientos ochocientas ottocento oitocentos восемьсот"),
    (900.0, "novecientos novecientas novecento novecentos девятьсот"),
    (0.5, "half halb halbe hälfte halfte moitie mitad"),
    (1.5, "anderthalb eineinhalb anderhalf полтора полторы poltorej"),
    (2.5, "zweieinhalb"),
    (3.5, "dreieinhalb"),
    (4.5, "viereinhalb"),
];

/// The same for places in a row.
const ORDINALS: &[(f64, &str)] = &[
    (1.0, "first erste ersten erster premier premiere primer primero primera"),
    (2.0, "zweite zweiten zweiter deuxieme segunda"),
    (3.0, "third dritte dritten dritter troisieme tercer tercero tercera"),
    (4.0, "fourth vierte vierten quatrieme cuarto cuarta"),
    (5.0, "fifth funfte funften cinquieme quinto quinta"),
    (6.0, "sixth sechste sechsten sixieme sexto"),
    (7.0, "seventh siebte siebten septieme septimo"),
    (8.0, "eighth achte achten huitieme octavo"),
    (9.0, "ninth neunte neunten neuvieme noveno"),
    (10.0, "tenth zehnte zehnten dixieme decimo"),
    (11.0, "eleventh"),
    (12.0, "twelfth"),
    (13.0, "thirteenth"),
    (14.0, "fourteenth"),
    (15.0, "fifteenth"),
    (16.0, "sixteenth"),
    (17.0, "seventeenth"),
    (18.0, "eighteenth"),
    (19.0, "nineteenth"),
    (20.0, "twentieth"),
];

/// A word that is both counts.
static SPELLED: LazyLock<WordTable<SpelledNumber>> = LazyLock::new(|| {
    let read = |table: &'static [(f64, &'static str)], kind: fn(f64) -> SpelledNumber| {
        table.iter().flat_map(move |(value, forms)| forms.split(' ').map(move |form| (form, kind(*value))))
    };
    read(ORDINALS, SpelledNumber::Ordinal).chain(read(CARDINALS, SpelledNumber::Cardinal)).collect()
});

fn cardinal(word: &str) -> Option<f64> {
    match SPELLED.get(word)? {
        SpelledNumber::Cardinal(value) => Some(*value),
        SpelledNumber::Ordinal(_) => None,
    }
}

/// The shortest parts: `sechs` and its kin have three letters, the tens five.
const COMPOUND_BYTES_MIN: usize = 11;

/// `dreiundzwanzig`: units, `und`, tens.
fn german_compound(word: &str) -> Option<f64> {
    if word.len() < COMPOUND_BYTES_MIN {
        return None;
    }
    let (units, tens) = word.split_once("und")?;
    let tens = cardinal(tens).filter(|&value| takes_units(value))?;
    let units = if units == "ein" { 1.0 } else { cardinal(units).filter(|&value| value < 10.0)? };
    Some(tens + units)
}

/// The value of one Han digit or multiplier.
pub fn han_digit(text: &str) -> Option<f64> {
    Some(match text {
        "〇" | "零" => 0.0,
        "一" => 1.0,
        "二" | "两" | "兩" => 2.0,
        "三" => 3.0,
        "四" => 4.0,
        "五" => 5.0,
        "六" => 6.0,
        "七" => 7.0,
        "八" => 8.0,
        "九" => 9.0,
        _ => return None,
    })
}

/// The value of a run of Han digits and multipliers, such as `二十三` or `三百五十`.
pub fn han_number<'a>(run: impl IntoIterator<Item = &'a str>) -> Option<f64> {
    let (mut total, mut section, mut digit, mut digits_in_row) = (0.0, 0.0, None::<f64>, 0_u32);
    for sign in run {
        if let Some(value) = han_digit(sign) {
            digits_in_row += 1;
            digit = Some(digit.map_or(value, |before| before * 10.0 + value));
            continue;
        }
        digits_in_row = 0;
        match sign {
            "十" | "百" | "千" => {
                let times = match sign {
                    "十" => 10.0,
                    "百" => 100.0,
                    _ => 1000.0,
                };
                section += digit.take().unwrap_or(1.0) * times;
            }
            "万" | "萬" | "亿" | "億" => {
                let times = if matches!(sign, "万" | "萬") { 1e4 } else { 1e8 };
                total += (section + digit.take().unwrap_or(0.0)).max(1.0) * times;
                section = 0.0;
            }
            _ => return None,
        }
    }
    debug_assert!(digits_in_row <= 16, "years and serial numbers are the longest runs");
    Some(total + section + digit.unwrap_or(0.0))
}
