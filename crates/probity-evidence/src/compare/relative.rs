//! Years that a page names by its own date: "last year" on a page of 2024 is 2023.
//!
//! Of the page's own date only the year is used: a page is often dated by its last change. "Yesterday" is read beside a day
//! that the page itself writes out, and "the year before" beside a year that it writes out.

use super::{ComparisonSource, claim::ClaimFacts, page_comparison::BestSentence};
use crate::value::{Quantity, TextDate};

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

/// How pages say the year before the one that they speak of, folded.
const YEAR_BEFORE: &[&str] = &[
    "year before",
    "year earlier",
    "year ago",
    "previous year",
    "preceding year",
    "prior year",
    "year-on-year",
    "year on year",
    "vorjahr",
    "jahr zuvor",
    "jahr davor",
    "jahr vorher",
    "année précédente",
    "année d'avant",
    "année d’avant",
    "an plus tôt",
    "an auparavant",
    "sur un an",
    "año anterior",
    "año previo",
    "año antes",
    "interanual",
    "anno precedente",
    "anno prima",
    "su base annua",
    "ano anterior",
    "ano antes",
    "poprzedni rok",
    "poprzedniego roku",
    "poprzednim roku",
    "rok wcześniej",
    "предыдущий год",
    "предыдущего года",
    "предыдущем году",
    "предыдущим годом",
    "годом ранее",
    "годом раньше",
    "العام السابق",
    "السنة السابقة",
    "前年度",
    "前年",
    "上年",
    "去年",
    "前一年",
    "上一年",
    "同比",
    "전년",
];
/// How pages say the day before their own, folded.
const YESTERDAY: &[&str] =
    &["yesterday", "gestern", "hier", "ayer", "ieri", "ontem", "wczoraj", "вчера", "أمس", "昨天", "昨日"];

/// A text that speaks of the year before another one.
pub(super) fn says_year_before(text: &str) -> bool {
    let folded = text.to_lowercase();
    YEAR_BEFORE.iter().any(|words| folded.contains(words))
}

/// The year before the one that a sentence speaks of, and where on the page it says so. That one stands in the sentence, or
/// before it on the page; without any it is the page's own.
pub(super) fn year_before(
    source: &ComparisonSource<'_>,
    (start, end): (usize, usize),
) -> Option<(i32, (usize, usize))> {
    let text = source.page.text().get(start..end)?;
    let folded = text.to_lowercase();
    let (at, words) = YEAR_BEFORE.iter().find_map(|words| Some((folded.find(words)?, *words)))?;
    let place = (start + at, start + at + words.len());
    let dates = &source.facts.values.dates;
    let known = dates.partition_point(|date| date.start < place.0);
    let earlier = |from: usize| {
        dates.iter().take(known).rev().take_while(|date| date.start >= from).find_map(|date| date.year)
    };
    let later = || dates.iter().skip(known).take_while(|date| date.start < end).find_map(|date| date.year);
    let own = earlier(start).or_else(later).or_else(|| earlier(0)).or(source.context.year_published)?;
    Some((own - 1, place))
}

/// The claim is of the year before the sentence's own, and the sentence gives none of the claim's figures to its own year.
pub(super) fn is_of_year_before(
    claim: &ClaimFacts<'_>,
    source: &ComparisonSource<'_>,
    best: Option<&BestSentence>,
) -> bool {
    let [date] = claim.values.dates.as_slice() else { return false };
    let year = date.year.filter(|_| date.parts() == 1);
    let Some((year, best)) = year.zip(best) else { return false };
    let claimed = &claim.values.numbers;
    let sentence = (best.sentence.start, best.sentence.end);
    let Some((_, place)) = year_before(source, sentence).filter(|(named, _)| *named == year) else {
        return false;
    };
    let text = source.page.text();
    let inside = |number: &&Quantity| sentence.0 <= number.start && number.start < sentence.1;
    let here: Vec<&Quantity> = source.facts.values.numbers.iter().filter(inside).collect();
    let distance =
        |number: &Quantity| number.start.saturating_sub(place.1).max(place.0.saturating_sub(number.end));
    let nearest = here.iter().map(|number| distance(number)).min();
    let beside = |number: &Quantity| {
        let (from, to) = if number.end <= place.0 { (number.end, place.0) } else { (place.1, number.start) };
        let parted = text.get(from..to).is_some_and(|gap| gap.contains([',', ';', '，', '、', '；', '،']));
        Some(distance(number)) == nearest && !parted
    };
    here.iter().filter(|theirs| claimed.iter().any(|mine| mine.agrees(theirs))).all(|theirs| beside(theirs))
}

/// A day of the claim is the one before a day that the page writes out, and a passage says "yesterday".
pub(super) fn is_yesterday(source: &ComparisonSource<'_>, date: &TextDate) -> bool {
    let Some(next) = day_after(date) else { return false };
    let is_next = |theirs: &TextDate| (theirs.year, theirs.month, theirs.day) == next;
    let says = |passage: &crate::locate::LocatedPassage| {
        let text = source.page.text().get(passage.start..passage.end).unwrap_or_default().to_lowercase();
        // German has the word for "here".
        let is_french = [" le ", " la ", " les "].iter().any(|article| text.contains(article));
        YESTERDAY.iter().any(|word| text.contains(word) && (*word != "hier" || is_french))
    };
    source.facts.values.dates.iter().any(is_next) && source.passages.iter().any(says)
}

fn day_after(date: &TextDate) -> Option<(Option<i32>, Option<u8>, Option<u8>)> {
    let (year, month, day) = (date.year?, date.month?, date.day?);
    let leap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0);
    let days = match month {
        2 if leap => 29,
        2 => 28,
        4 | 6 | 9 | 11 => 30,
        _ => 31,
    };
    let (year, month, day) = match (month, day) {
        (12, 31) => (year + 1, 1, 1),
        (_, day) if day >= days => (year, month + 1, 1),
        (_, day) => (year, month, day + 1),
    };
    Some((Some(year), Some(month), Some(day)))
}
