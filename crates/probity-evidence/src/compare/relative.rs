//! Years that a page names by its own date: "last year" on a page of 2024 is 2023.
//!
//! Only where the page's date is known. Days ("yesterday") are left alone: a page is often dated by its last change.

use super::ComparisonSource;

/// How pages say the year before, their own year, and the year after, folded.
const RELATIVE_YEARS: &[(i32, &[&str])] = &[
    (
        -1,
        &[
            "last year",
            "previous year",
            "letztes jahr",
            "letzten jahr",
            "vergangenes jahr",
            "vergangenen jahr",
            "im vorjahr",
            "l'an dernier",
            "l’an dernier",
            "année dernière",
            "an passé",
            "année passée",
            "año pasado",
            "anno scorso",
            "anno passato",
            "ano passado",
            "vorig jaar",
            "afgelopen jaar",
            "прошлом году",
            "прошлого года",
            "zeszłym roku",
            "ubiegłym roku",
            "geçen yıl",
            "العام الماضي",
            "السنة الماضية",
            "去年",
            "昨年",
            "지난해",
            "작년",
            "पिछले साल",
        ],
    ),
    (
        0,
        &[
            "this year",
            "dieses jahr",
            "diesem jahr",
            "cette année",
            "este año",
            "quest'anno",
            "quest’anno",
            "este ano",
            "dit jaar",
            "этом году",
            "tym roku",
            "bu yıl",
            "هذا العام",
            "هذه السنة",
            "今年",
            "올해",
            "इस साल",
        ],
    ),
    (
        1,
        &[
            "next year",
            "nächstes jahr",
            "nächsten jahr",
            "kommenden jahr",
            "l'an prochain",
            "l’an prochain",
            "année prochaine",
            "próximo año",
            "año que viene",
            "anno prossimo",
            "prossimo anno",
            "próximo ano",
            "ano que vem",
            "volgend jaar",
            "следующем году",
            "przyszłym roku",
            "gelecek yıl",
            "العام المقبل",
            "العام القادم",
            "明年",
            "来年",
            "내년",
            "अगले साल",
        ],
    ),
];

/// The year that a text names by the date of its page, and the words for it.
pub(super) fn relative_year(text: &str, published: i32) -> Option<(i32, &'static str)> {
    let folded = text.to_lowercase();
    let named = |words: &'static [&'static str]| words.iter().copied().find(|word| folded.contains(word));
    RELATIVE_YEARS.iter().find_map(|(offset, words)| Some((published + offset, named(words)?)))
}

/// The year is the page's own, or one that a passage names by it.
pub(super) fn follows(source: &ComparisonSource<'_>, year: Option<i32>) -> bool {
    let (Some(published), Some(year)) = (source.context.year_published, year) else { return false };
    let text = |start: usize, end: usize| source.page.text().get(start..end).unwrap_or_default();
    let named = |passage: &crate::locate::LocatedPassage| {
        relative_year(text(passage.start, passage.end), published).is_some_and(|(named, _)| named == year)
    };
    published == year || ((published - year).abs() == 1 && source.passages.iter().any(named))
}
