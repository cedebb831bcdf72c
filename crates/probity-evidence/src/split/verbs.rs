//! Verbs by their form, where `statements` knows none: in headings of other languages than English, and in footnotes.
//!
//! Closed lists, and endings that next to no other word of the language has. Misses what it does not know.

use probity_types::report::ReportPhrases;

use super::{has_statement_length, kind, script};
use crate::words::{LetterCase, TextWord, WordKind, is_stop_word, stop, words};

/// Finite forms that are nothing else, in the language beside them.
const FINITE: &[(&str, &str)] = &[
    (
        "de",
        "ist sind war waren hat hatte hatten wird wurde wurden kann konnte konnten muss musste soll sollte will wollte \
         kam kamen ging gingen blieb blieben bleibt ließ ließen gab gaben gibt stand standen steht lag lagen liegt fand \
         fanden nahm nahmen nimmt sah sahen verlor gewann stieg stiegen steigt fiel fielen fällt sank sanken sinkt wuchs \
         wächst zog zogen zieht hielt hielten hält half schrieb sprach trat traf trug verließ begann begannen beginnt \
         brach brachen starb starben stirbt schlug rief warf floh schloss schlossen schließt kostet baut zeigt macht \
         bringt kommt geht führt droht fordert verliert gewinnt übernahm übernimmt endet verzichtet",
    ),
    (
        "fr",
        "est sont ont avait avaient fut furent devient devint était étaient perd perdit gagna ferma mourut vendit",
    ),
    (
        "es",
        "es son era eran tiene tienen tenía ha han había fue fueron hizo dijo tuvo vino pudo puede pueden hay hubo",
    ),
    ("it", "è sono ha hanno fu furono può possono deve vinse perse chiuse nacque morì aveva avevano"),
    (
        "pt",
        "é são foi foram tem têm pode podem houve fez disse teve veio morreu perdeu nasceu venceu caiu vendeu",
    ),
    ("nl", "werd werden wordt heeft hebben had hadden kreeg ging kwam bleef verloor stierf kan moet"),
    (
        "pl",
        "jest są był była było byli były został została zostało zostali zostały ma mają miał miała zmarł zmarła",
    ),
];
/// Ends of finite forms, in the language beside them.
const ENDS: &[(&str, &[&str])] = &[
    ("fr", &["èrent", "aient"]),
    ("es", &["ó", "aron", "ieron"]),
    ("it", &["ò", "arono", "erono", "irono"]),
    ("pt", &["ou", "aram", "iram"]),
];
/// Letters of a word that has such an end.
const ENDED_LETTERS_MIN: usize = 4;
/// Other words that end so.
const NO_VERBS: &[&str] = &[
    "però",
    "ciò",
    "falò",
    "heute",
    "bitte",
    "mitten",
    "unten",
    "hinten",
    "letzte",
    "letzten",
    "erste",
    "ersten",
    "beste",
    "besten",
    "meisten",
    "nächste",
    "nächsten",
];
/// Letters of a German past form in "-te".
const PAST_LETTERS_MIN: usize = 5;
/// Join two things of the same kind: "die geplante und die alte Halle".
const JOINTS: &[&str] = &["und", "oder", "sowie"];
/// Forms of Russian that are verbs whatever stands beside them.
const CYRILLIC_ENDS: &[&str] = &["лся", "лась", "лось", "лись", "ется", "ются", "ится", "ятся"];
const CYRILLIC: &[&str] =
    &["был", "была", "было", "были", "стал", "стала", "стали", "умер", "умерла", "погиб"];
/// Arabic forms, for footnotes: headings are mostly nouns.
const ARABIC: &[&str] =
    &["كان", "كانت", "لم", "لن", "قد", "ليس", "ليست", "تم", "قال", "قالت", "رفض", "رفضت", "أعلن", "أعلنت"];
/// What follows is asked, named or added, and states nothing by itself.
const CLAUSES: &[&str] = &[
    "wann",
    "welche",
    "welcher",
    "welches",
    "wieviel",
    "wessen",
    "womit",
    "wodurch",
    "quel",
    "quelle",
    "quels",
    "quelles",
    "combien",
    "cuál",
    "cuáles",
    "cuánto",
    "cuánta",
    "cuántos",
    "cuántas",
    "quale",
    "quali",
    "quanto",
    "quanta",
    "quanti",
    "quante",
    "cosa",
    "qual",
    "quais",
    "quantos",
    "quantas",
    "wanneer",
    "welke",
    "hoeveel",
    "ile",
    "kiedy",
    "gdzie",
    "jaki",
    "jaka",
    "jakie",
    "какой",
    "какая",
    "какие",
    "какое",
    "сколько",
    "wie",
    "warum",
    "was",
    "wo",
    "wer",
    "weshalb",
    "wenn",
    "als",
    "dass",
    "que",
    "qui",
    "quoi",
    "pourquoi",
    "comment",
    "quand",
    "où",
    "cómo",
    "qué",
    "quién",
    "cuándo",
    "dónde",
    "cuando",
    "donde",
    "che",
    "chi",
    "perché",
    "quando",
    "quem",
    "porque",
    "hoe",
    "waarom",
    "wat",
    "wie",
    "dat",
    "jak",
    "dlaczego",
    "kto",
    "który",
    "która",
    "które",
    "gdy",
    "как",
    "почему",
    "что",
    "кто",
    "где",
    "когда",
    "который",
    "которая",
    "которые",
];
/// Behind a comma they begin a clause about what stands before it.
const RELATIVES: &[&str] = &["der", "die", "das", "dem", "den", "deren", "dessen", "denen"];
/// Ends of Japanese and Korean sentences; nouns end otherwise.
const DENSE_ENDS: &[&str] = &[
    "した",
    "った",
    "いた",
    "れた",
    "せた",
    "めた",
    "けた",
    "である",
    "ます",
    "ました",
    "ません",
    "했다",
    "었다",
    "았다",
    "됐다",
    "된다",
    "한다",
    "이다",
];
/// In Chinese "了" ends what happened, except in these.
const NOT_ENDED: &[&str] = &["为了", "除了", "了解"];
/// Say in a Chinese footnote that something is or happened.
const CHINESE_STATES: &[&str] = &["了", "被", "是", "曾", "已", "没有", "并未", "将于"];
/// Characters of a Chinese sentence.
const DENSE_LETTERS_MIN: usize = 8;

/// Begin an English note that is a sentence: whoever or whatever it speaks of.
const SUBJECTS: &str = "the a an it he she they we this these those its his her their some many most all no both another \
    nobody others one two three four five six seven eight nine ten";
/// Past and present forms that are seldom anything else behind a subject.
const ENGLISH: &str = "left met paid sold held kept led lost made sent spent told bought brought felt found heard meant ran sat \
    taught thought understood wore ate drank sang swam hid slept won fought sought stands lies lives works refuses opposes \
    denies supports stayed stood went came gave took grew fell rose knew wrote spoke became began broke chose drew drove \
    flew said says did does got gets owns runs wants";
/// End like verbs, and name something or tell where a text is from.
const NO_PASTS: &str = "hundred united limited indeed based published retrieved accessed updated cited quoted translated adapted \
    reprinted dated titled called named kindred sacred rugged naked wicked";
/// Before a participle that stands for an adjective.
const BEFORE_ADJECTIVE: &str =
    "the a an its their his her of by in for with and no any to as from this these";

/// Whether a heading has a verb and states something, in another language than English.
pub fn heading_states(text: &str) -> bool {
    let text = text.trim();
    // What is cut off may be a question.
    if text.ends_with(['?', '？', '؟', ':', '：', '…']) || !has_statement_length(text) {
        return false;
    }
    (dense_states(text) || states(text)) && !is_phrase(text)
}

/// Whether it is one of the headings that the program writes itself.
fn is_phrase(text: &str) -> bool {
    let lower = text.to_lowercase();
    let own = |phrases: &ReportPhrases| {
        [phrases.unanswered, phrases.about, phrases.not_looked_up, phrases.sources_differ, phrases.not_found]
    };
    ReportPhrases::ALL.iter().flat_map(own).any(|phrase| phrase.to_lowercase() == lower)
}

/// Whether a footnote is a sentence that states something.
pub fn footnote_states(text: &str) -> bool {
    let text = text.trim();
    let is_sentence = kind::is_whole_sentence(text) && !text.contains("http");
    is_sentence && (dense_note_states(text) || states(text) || arabic_states(text) || english_states(text))
}

/// By the verbs of its language, before a clause that only names or asks.
fn states(text: &str) -> bool {
    let words = words(text);
    let language = stop::likely_language(words.iter().map(|word| word.folded.as_str()));
    let end = words.iter().enumerate().position(|(at, word)| begins_clause(text, &words, at, word));
    let own = words.get(..end.unwrap_or(words.len())).unwrap_or_default();
    let places = (1..own.len()).filter(|at| own.get(*at).is_some_and(|word| word.kind == WordKind::Plain));
    places.into_iter().any(|at| is_cyrillic_verb(own, at) || language.is_some_and(|it| is_verb(own, at, it)))
}

fn begins_clause(text: &str, words: &[TextWord], at: usize, word: &TextWord) -> bool {
    let before = at.checked_sub(1).and_then(|before| words.get(before));
    let gap = before.and_then(|before| text.get(before.end..word.start)).unwrap_or_default();
    CLAUSES.contains(&word.folded.as_str()) || gap.contains(',') && RELATIVES.contains(&word.folded.as_str())
}

fn is_verb(words: &[TextWord], at: usize, language: &str) -> bool {
    let Some(word) = words.get(at).filter(|word| word.case == LetterCase::Lower) else { return false };
    let folded = word.folded.as_str();
    let of_language = FINITE.iter().filter(|(name, _)| *name == language);
    let is_listed =
        of_language.into_iter().any(|(_, forms)| forms.split_whitespace().any(|form| form == folded));
    let ends = ENDS.iter().filter(|(name, _)| *name == language).flat_map(|(_, ends)| ends.iter());
    let is_ended =
        folded.chars().count() >= ENDED_LETTERS_MIN && ends.into_iter().any(|end| folded.ends_with(end));
    let is_past =
        language == "de" && is_german_past(words, at) || language == "fr" && has_participle(words, at);
    !NO_VERBS.contains(&folded) && (is_listed || is_ended || is_past)
}

/// "Klara brachte das Rad": behind a noun, and not before one, which would make it an adjective.
fn is_german_past(words: &[TextWord], at: usize) -> bool {
    let (Some(before), Some(word), Some(behind)) =
        (at.checked_sub(1).and_then(|before| words.get(before)), words.get(at), words.get(at + 1))
    else {
        return false;
    };
    let is_noun =
        before.kind == WordKind::Plain && before.case != LetterCase::Lower && !is_stop_word(&before.folded);
    let goes_on = behind.case == LetterCase::Lower && !JOINTS.contains(&behind.folded.as_str());
    let has_end = word.folded.ends_with("te") || word.folded.ends_with("ten");
    is_noun && goes_on && has_end && word.folded.chars().count() >= PAST_LETTERS_MIN
}

/// "Le maire a démissionné".
fn has_participle(words: &[TextWord], at: usize) -> bool {
    let is_a = words.get(at).is_some_and(|word| word.folded == "a");
    is_a && words.get(at + 1).is_some_and(|next| {
        next.folded.chars().count() >= ENDED_LETTERS_MIN && next.folded.ends_with(['é', 'u', 'i', 't', 's'])
    })
}

fn is_cyrillic_verb(words: &[TextWord], at: usize) -> bool {
    let Some(word) = words.get(at) else { return false };
    let folded = word.folded.as_str();
    CYRILLIC.contains(&folded) || CYRILLIC_ENDS.iter().any(|end| folded.ends_with(end))
}

/// By the end of a Japanese or Korean sentence, or by what Chinese says of what is over.
fn dense_states(text: &str) -> bool {
    let open = text.trim_end_matches(['。', '！', '.', '!']);
    let dense = text.chars().filter(|letter| script::is_dense(*letter)).count();
    let is_over = || {
        let bare = NOT_ENDED.iter().fold(text.to_owned(), |bare, word| bare.replace(word, ""));
        bare.contains('了') || bare.contains('被')
    };
    !text.is_ascii()
        && (DENSE_ENDS.iter().any(|end| open.ends_with(end)) || dense >= DENSE_LETTERS_MIN && is_over())
}

fn dense_note_states(text: &str) -> bool {
    let dense = text.chars().filter(|letter| script::is_dense(*letter)).count();
    dense_states(text)
        || dense >= DENSE_LETTERS_MIN
            && !text.contains(['：', ':', '《'])
            && CHINESE_STATES.iter().any(|word| text.contains(word))
}

fn arabic_states(text: &str) -> bool {
    text.split_whitespace().any(|word| {
        let word = word.trim_matches(|letter: char| !letter.is_alphabetic());
        ARABIC.contains(&word) || word.strip_prefix('و').is_some_and(|rest| ARABIC.contains(&rest))
    })
}

fn english_states(text: &str) -> bool {
    let words = words(text);
    let has = |list: &str, word: &TextWord| list.split_whitespace().any(|known| known == word.folded);
    if !words.first().is_some_and(|first| has(SUBJECTS, first)) {
        return false;
    }
    let pairs = words.iter().zip(words.iter().skip(1));
    pairs.into_iter().any(|(before, word)| {
        let is_past =
            word.folded.ends_with("ed") && word.folded.len() > ENDED_LETTERS_MIN && !has(NO_PASTS, word);
        let is_form = word.case == LetterCase::Lower && (is_past || has(ENGLISH, word));
        is_form && !has(BEFORE_ADJECTIVE, before)
    })
}

#[cfg(test)]
mod tests {
    use super::{footnote_states, heading_states};

    #[track_caller]
    fn check(says: fn(&str) -> bool, yes: &[&str], no: &[&str]) {
        let wrong: Vec<_> = yes.iter().filter(|words| !says(words)).collect();
        assert!(wrong.is_empty(), "should say something: {wrong:?}");
        let wrong: Vec<_> = no.iter().filter(|words| says(words)).collect();
        assert!(wrong.is_empty(), "should say nothing: {wrong:?}");
    }

    #[test]
    fn headings_with_a_verb_of_another_language_state() {
        check(
            heading_states,
            &[
                "Ein Sturm machte den Hafen von Pell unbrauchbar",
                "Das Werk in Pell steht vor dem Aus",
                "Le maire de Pell a démissionné",
                "Los vecinos de Pell rechazaron el puente",
                "El dique de Pell cedió en la noche",
                "Il comune di Pell rifiutò la nuova strada",
                "A prefeitura de Pell fechou o porto",
                "Мост в Пелле обрушился весной",
                "ペルの橋は春に閉鎖された",
                "佩尔的老桥在春天被关闭了",
            ],
            &[
                "Der Hafen von Pell",
                "Die geplante und die alte Halle in Pell",
                "Die Kosten der zweiten Halle in Pell heute",
                "Wie es in Pell weiter ging",
                "Ein Mann, der alles verlor",
                "Wann wurde die Brücke in Pell gebaut",
                "Die Quellen widersprechen sich",
                "情報源の間で食い違いがあります",
                "Le pont de Pell et la ville",
                "Los puentes de la ciudad de Pell",
                "O porto de Pell e a cidade",
                "The bridge of Pell",
                "Новый мост в Пелле",
                "ペルの橋について",
                "佩尔市的桥梁与港口概况",
            ],
        );
    }

    #[test]
    fn footnotes_that_are_sentences_state() {
        check(
            footnote_states,
            &[
                "The mayor stayed at home in protest.",
                "The engineers objected loudly, but nobody listened.",
                "Die Bürgermeisterin lehnte den Entwurf ab.",
                "La maire a refusé de signer le contrat.",
                "El alcalde se marchó antes del final.",
                "ولم يحضر رئيس البلدية حفل الافتتاح.",
                "市长因为费用上涨没有出席落成典礼。",
            ],
            &[
                "City of Pell, annual report, 2020, p. 5.",
                "The annual report of the city of Pell.",
                "A report published by the city of Pell.",
                "See the city's page.",
                "Stadt Pell, Jahresbericht der Verwaltung.",
                "Rapport annuel de la ville de Pell.",
                "Ibid., p. 5.",
                "佩尔市政府：《年度报告》，2020年。",
            ],
        );
    }
}
