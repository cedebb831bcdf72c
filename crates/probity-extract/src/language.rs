//! The language of a text, by its letters and words; the page's declaration where those are not enough.

use whatlang::Lang;

/// Shorter texts are guesswork.
const TEXT_BYTES_MIN: usize = 200;
/// More says nothing new.
const TEXT_BYTES_MAX: usize = 3000;

/// ISO 639-1. The text's clear evidence wins over a template's declaration.
pub fn detect_language(text: &str, said: Option<String>) -> Option<String> {
    if text.len() < TEXT_BYTES_MIN {
        return said;
    }
    let start = text.get(..text.floor_char_boundary(TEXT_BYTES_MAX)).unwrap_or(text);
    let seen =
        whatlang::detect(start).filter(whatlang::Info::is_reliable).and_then(|info| two_letters(info.lang()));
    seen.map(str::to_owned).or(said)
}

fn two_letters(language: Lang) -> Option<&'static str> {
    Some(match language.code() {
        "eng" => "en",
        "deu" => "de",
        "fra" => "fr",
        "spa" => "es",
        "ita" => "it",
        "por" => "pt",
        "nld" => "nl",
        "rus" => "ru",
        "ukr" => "uk",
        "pol" => "pl",
        "ces" => "cs",
        "slk" => "sk",
        "slv" => "sl",
        "hrv" => "hr",
        "srp" => "sr",
        "bul" => "bg",
        "mkd" => "mk",
        "bel" => "be",
        "ron" => "ro",
        "hun" => "hu",
        "ell" => "el",
        "tur" => "tr",
        "swe" => "sv",
        "dan" => "da",
        "nob" => "no",
        "fin" => "fi",
        "est" => "et",
        "lav" => "lv",
        "lit" => "lt",
        "cmn" => "zh",
        "jpn" => "ja",
        "kor" => "ko",
        "ara" => "ar",
        "heb" => "he",
        "pes" => "fa",
        "hin" => "hi",
        "ben" => "bn",
        "urd" => "ur",
        "tam" => "ta",
        "tel" => "te",
        "mar" => "mr",
        "guj" => "gu",
        "kan" => "kn",
        "mal" => "ml",
        "pan" => "pa",
        "ori" => "or",
        "nep" => "ne",
        "sin" => "si",
        "mya" => "my",
        "khm" => "km",
        "tha" => "th",
        "vie" => "vi",
        "ind" => "id",
        "jav" => "jv",
        "tgl" => "tl",
        "amh" => "am",
        "kat" => "ka",
        "hye" => "hy",
        "aze" => "az",
        "uzb" => "uz",
        "tuk" => "tk",
        "afr" => "af",
        "cat" => "ca",
        "epo" => "eo",
        "lat" => "la",
        "zul" => "zu",
        "sna" => "sn",
        "aka" => "ak",
        "yid" => "yi",
        "cym" => "cy",
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::detect_language;

    #[test]
    fn the_text_beats_the_template_and_a_short_text_does_not() {
        let german =
            "Der Kessel kocht auf dem Berg früher als am Meer, weil der Druck der Luft dort geringer ist. "
                .repeat(4);
        assert_eq!(detect_language(&german, Some("en".to_owned())).as_deref(), Some("de"));
        assert_eq!(detect_language("Ja.", Some("de".to_owned())).as_deref(), Some("de"));
        assert_eq!(detect_language("12 34", None), None);
    }
}
