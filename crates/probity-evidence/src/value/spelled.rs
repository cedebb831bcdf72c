//! Numbers written as words, in English, German, French and Spanish.
//!
//! Only what reports use: up to a hundred, dozens, halves and ordinals; scales are read in `number.rs`.

/// A spelled part of a number: `twenty` and `three` add up, so each says what it is.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Spelled {
    Cardinal(f64),
    Ordinal(f64),
}

/// What a folded word says; articles (`one`, `ein`, `un`) are left out because they seldom count.
pub fn spelled(word: &str) -> Option<Spelled> {
    if let Some(value) = cardinal(word) {
        return Some(Spelled::Cardinal(value));
    }
    if let Some(value) = ordinal(word) {
        return Some(Spelled::Ordinal(value));
    }
    german_compound(word).map(Spelled::Cardinal)
}

/// `twenty`, to which a unit may follow: `twenty-three`, `treinta y dos`, `soixante-douze`.
pub fn takes_units(value: f64) -> bool {
    value >= 20.0 && value < 100.0 && value % 10.0 == 0.0
}

/// The digits that follow tens; here articles do count: `twenty-one`, `treinta y uno`.
pub fn unit_digit(word: &str) -> Option<f64> {
    match word {
        "one" | "un" | "une" | "uno" | "una" => Some(1.0),
        _ => cardinal(word).filter(|value| (1.0..20.0).contains(value)),
    }
}

fn cardinal(word: &str) -> Option<f64> {
    Some(match word {
        "zero" | "null" | "cero" => 0.0,
        "two" | "zwei" | "deux" | "dos" | "both" | "beide" | "beiden" => 2.0,
        "three" | "drei" | "trois" | "tres" => 3.0,
        "four" | "vier" | "quatre" | "cuatro" => 4.0,
        "five" | "funf" | "cinq" | "cinco" => 5.0,
        "six" | "sechs" | "seis" => 6.0,
        "seven" | "sieben" | "sept" | "siete" => 7.0,
        "eight" | "acht" | "huit" | "ocho" => 8.0,
        "nine" | "neun" | "neuf" | "nueve" => 9.0,
        "ten" | "zehn" | "dix" | "diez" => 10.0,
        "eleven" | "elf" | "onze" | "once" => 11.0,
        "twelve" | "zwolf" | "douze" | "doce" | "dozen" | "dutzend" | "douzaine" | "docena" => 12.0,
        "thirteen" | "dreizehn" | "treize" | "trece" => 13.0,
        "fourteen" | "vierzehn" | "quatorze" | "catorce" => 14.0,
        "fifteen" | "funfzehn" | "quinze" | "quince" => 15.0,
        "sixteen" | "sechzehn" | "seize" | "dieciseis" => 16.0,
        "seventeen" | "siebzehn" | "diecisiete" => 17.0,
        "eighteen" | "achtzehn" | "dieciocho" => 18.0,
        "nineteen" | "neunzehn" | "diecinueve" => 19.0,
        "twenty" | "zwanzig" | "vingt" | "veinte" => 20.0,
        "veintiuno" => 21.0,
        "veintidos" => 22.0,
        "veintitres" => 23.0,
        "veinticuatro" => 24.0,
        "veinticinco" => 25.0,
        "thirty" | "dreissig" | "trente" | "treinta" => 30.0,
        "forty" | "vierzig" | "quarante" | "cuarenta" => 40.0,
        "fifty" | "funfzig" | "cinquante" | "cincuenta" => 50.0,
        "sixty" | "sechzig" | "soixante" | "sesenta" => 60.0,
        "seventy" | "siebzig" | "septante" | "setenta" => 70.0,
        "eighty" | "achtzig" | "ochenta" => 80.0,
        "ninety" | "neunzig" | "nonante" | "noventa" => 90.0,
        "cent" | "cien" | "ciento" | "einhundert" => 100.0,
        "doscientos" => 200.0,
        "half" | "halb" | "halbe" | "hälfte" | "halfte" | "moitie" | "mitad" => 0.5,
        _ => return None,
    })
}

fn ordinal(word: &str) -> Option<f64> {
    Some(match word {
        "first" | "erste" | "ersten" | "erster" | "premier" | "premiere" | "primer" | "primero"
        | "primera" => 1.0,
        "zweite" | "zweiten" | "zweiter" | "deuxieme" | "segunda" => 2.0,
        "third" | "dritte" | "dritten" | "dritter" | "troisieme" | "tercer" | "tercero" | "tercera" => 3.0,
        "fourth" | "vierte" | "vierten" | "quatrieme" | "cuarto" | "cuarta" => 4.0,
        "fifth" | "funfte" | "funften" | "cinquieme" | "quinto" | "quinta" => 5.0,
        "sixth" | "sechste" | "sechsten" | "sixieme" | "sexto" => 6.0,
        "seventh" | "siebte" | "siebten" | "septieme" | "septimo" => 7.0,
        "eighth" | "achte" | "achten" | "huitieme" | "octavo" => 8.0,
        "ninth" | "neunte" | "neunten" | "neuvieme" | "noveno" => 9.0,
        "tenth" | "zehnte" | "zehnten" | "dixieme" | "decimo" => 10.0,
        "eleventh" => 11.0,
        "twelfth" => 12.0,
        "thirteenth" => 13.0,
        "fourteenth" => 14.0,
        "fifteenth" => 15.0,
        "sixteenth" => 16.0,
        "seventeenth" => 17.0,
        "eighteenth" => 18.0,
        "nineteenth" => 19.0,
        "twentieth" => 20.0,
        _ => return None,
    })
}

/// `dreiundzwanzig`: units, `und`, tens.
fn german_compound(word: &str) -> Option<f64> {
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
