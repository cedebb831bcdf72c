//! The program's own words in a report, in the language of the report where it is one of these, else in English.

mod languages;
mod notices;
mod remarks;

use languages::{
    ARABIC, CHINESE, DUTCH, ENGLISH, FRENCH, GERMAN, ITALIAN, JAPANESE, KOREAN, POLISH, PORTUGUESE, RUSSIAN,
    SPANISH,
};
pub use notices::NoticePhrases;
pub use remarks::RemarkPhrases;

/// Headings and half-sentences that rules write around what a model wrote.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ReportPhrases {
    pub key_points: &'static str,
    /// The part that draws conclusions.
    pub conclusions: &'static str,
    /// Put before a conclusion that does not say that it is one.
    pub together: &'static str,
    /// How conclusions begin that say it themselves, in small letters.
    pub conclusion_starts: &'static [&'static str],
    pub unanswered: &'static str,
    pub not_found: &'static str,
    pub sources_differ: &'static str,
    pub other_source: &'static str,
    /// Before the date of a page.
    pub page_of: &'static str,
    pub newer: &'static str,
    /// Before a section that no model wrote.
    pub quoted: &'static str,
    /// The heading of the numbered list.
    pub sources: &'static str,
    /// The heading of the remarks on how the report came about.
    pub about: &'static str,
    /// The heading of what is missing where nobody searched.
    pub not_looked_up: &'static str,
    pub also_found: &'static str,
    pub own_files: &'static str,
    /// Below the heading of the user's own files.
    pub own_files_quoted: &'static str,
    /// Behind the title of such a file in the list of sources.
    pub own_file: &'static str,
    /// Behind a sentence that cites nothing.
    pub no_source: &'static str,
    /// In a cell of a table.
    pub cell_not_found: &'static str,
    /// Before a report that no model wrote.
    pub made_of_quotations: &'static str,
    /// Below the heading of a part that the user named.
    pub nothing_found: &'static str,
    /// What was searched, with `{queries}`, `{providers}`, `{failed}`, `{pages}`, `{unreadable}` and `{window}`; numbers
    /// stand behind their word, so that no language needs its plurals. Empty in English, which has a sentence of its own.
    pub receipt: &'static str,
    pub failed_queries: &'static str,
    pub dates: &'static str,
    /// None in English.
    pub remarks: Option<&'static RemarkPhrases>,
}

/// Each language by its code and by the names that callers give it, in small letters.
const LANGUAGES: [(ReportPhrases, &str, &[&str]); 13] = [
    (ENGLISH, "en", &["english"]),
    (GERMAN, "de", &["german", "deutsch"]),
    (FRENCH, "fr", &["french", "français"]),
    (SPANISH, "es", &["spanish", "español", "castellano"]),
    (ITALIAN, "it", &["italian", "italiano"]),
    (PORTUGUESE, "pt", &["portuguese", "português", "brazilian portuguese"]),
    (DUTCH, "nl", &["dutch", "nederlands"]),
    (POLISH, "pl", &["polish", "polski"]),
    (RUSSIAN, "ru", &["russian", "русский"]),
    (CHINESE, "zh", &["chinese", "中文", "简体中文", "繁體中文", "simplified chinese", "mandarin"]),
    (JAPANESE, "ja", &["japanese", "日本語"]),
    (KOREAN, "ko", &["korean", "한국어"]),
    (ARABIC, "ar", &["arabic", "العربية"]),
];
/// Words that sentences of one language have and those of the others here have not.
const TELLING_WORDS: [(&str, &[&str]); 8] = [
    ("en", &["the", "and", "what", "which", "how", "of", "are", "does"]),
    (
        "de",
        &[
            "der",
            "und",
            "ist",
            "wie",
            "welche",
            "für",
            "nicht",
            "eine",
            "sind",
            "wird",
            "die",
            "von",
            "mit",
            "im",
            "dem",
            "bei",
            "auf",
            "über",
            "zum",
            "zur",
            "wurde",
            "jahr",
            "vergleiche",
            "gib",
        ],
    ),
    ("fr", &["les", "quels", "quelles", "est", "dans", "pour", "sont", "une", "comment"]),
    ("es", &["los", "las", "qué", "cuáles", "cómo", "una", "y", "el", "sobre"]),
    ("it", &["gli", "quali", "come", "della", "che", "sono", "nel", "il", "è"]),
    ("pt", &["quais", "uma", "são", "não", "dos", "das", "em", "os"]),
    ("nl", &["het", "een", "zijn", "welke", "hoe", "wat", "van", "voor"]),
    ("pl", &["jest", "jakie", "jak", "czy", "oraz", "są", "się", "nie", "dla"]),
];
/// Letters that count like one such word.
const TELLING_LETTERS: [(&str, &[char]); 4] = [
    ("de", &['ä', 'ö', 'ü', 'ß']),
    ("es", &['ñ', '¿', '¡']),
    ("pt", &['ã', 'õ']),
    ("pl", &['ł', 'ż', 'ę', 'ą', 'ś']),
];
/// So many such words tell a language.
const TELLING_MIN: usize = 2;

impl ReportPhrases {
    pub const ALL: [Self; 13] = [
        ENGLISH, GERMAN, FRENCH, SPANISH, ITALIAN, PORTUGUESE, DUTCH, POLISH, RUSSIAN, CHINESE, JAPANESE,
        KOREAN, ARABIC,
    ];

    /// `de`, `de-AT` and `German` are German.
    pub fn of(language: Option<&str>) -> Self {
        let name = language.unwrap_or_default().trim().to_lowercase();
        let code = name.split(['-', '_']).next().unwrap_or_default();
        let is_it =
            |(_, known, names): &&(Self, &str, &[&str])| *known == code || names.contains(&name.as_str());
        LANGUAGES.iter().find(is_it).map_or(ENGLISH, |(phrases, _, _)| *phrases)
    }

    /// In the language that is known, else in that of the question as far as its script and its small words tell.
    pub fn of_report(language: Option<&str>, question: &str) -> Self {
        Self::of(language.or_else(|| language_of(question)))
    }
}

/// The language of a question by its name, where it is known to be another than English.
pub fn foreign_language(question: &str) -> Option<&'static str> {
    let code = language_of(question).filter(|code| *code != "en")?;
    LANGUAGES.iter().find(|(_, known, _)| *known == code).and_then(|(_, _, names)| names.first().copied())
}

fn language_of(text: &str) -> Option<&'static str> {
    let of_script = |c: char| match c {
        '\u{3040}'..='\u{30FF}' => Some("ja"),
        '\u{AC00}'..='\u{D7AF}' => Some("ko"),
        '\u{3400}'..='\u{9FFF}' => Some("zh"),
        '\u{0400}'..='\u{04FF}' => Some("ru"),
        '\u{0600}'..='\u{06FF}' => Some("ar"),
        _ => None,
    };
    let letters = text.chars().filter(|c| c.is_alphabetic()).count();
    let scripts: Vec<&str> = text.chars().filter_map(of_script).collect();
    if scripts.len() * 2 > letters {
        // Japanese writes Chinese characters, too.
        return scripts.iter().find(|script| **script == "ja").or(scripts.first()).copied();
    }
    let lower = text.to_lowercase();
    let words: Vec<&str> =
        lower.split(|c: char| !c.is_alphabetic()).filter(|word| !word.is_empty()).collect();
    let told = |known: &[&str]| words.iter().filter(|word| known.contains(*word)).count();
    let has_letter = |code: &str| {
        TELLING_LETTERS.iter().any(|(known, letters)| *known == code && lower.contains(*letters))
    };
    let counted =
        TELLING_WORDS.iter().map(|&(code, known)| (told(known) + usize::from(has_letter(code)), code));
    // Of equals the first: English is what is written where nothing is known.
    let best = counted.rev().max_by_key(|(count, _)| *count)?;
    (best.0 >= TELLING_MIN).then_some(best.1)
}

#[cfg(test)]
mod tests {
    use super::{LANGUAGES, ReportPhrases};
    use crate::report::own_list::names_sources;

    #[test]
    fn a_language_is_known_by_its_code_and_by_its_name() {
        for (language, heading) in [
            (Some("de"), "Das Wichtigste"),
            (Some("German"), "Das Wichtigste"),
            (Some("zh-CN"), "要点"),
            (Some("pt-BR"), "Pontos principais"),
            (Some("Русский"), "Главное"),
            (Some("deutlich"), "Key points"),
            (Some("fi"), "Key points"),
            (None, "Key points"),
        ] {
            assert_eq!(ReportPhrases::of(language).key_points, heading, "{language:?}");
        }
    }

    #[test]
    fn a_question_tells_its_language_where_nobody_named_one() {
        for (question, code) in [
            ("What are the risks of the plan and which are new?", "en"),
            ("Orion Pier 2024", "en"),
            ("Wie hoch ist der Umsatz und welche Firmen sind beteiligt?", "de"),
            (
                "Vergleiche die Getreideemission von Maridal Wharf mit der von Velangard Quay im Jahr 2024.",
                "de",
            ),
            ("Wann öffnete die Brücke?", "de"),
            ("Why do bees die in the winter?", "en"),
            ("Quels sont les effets de la réforme dans les écoles ?", "fr"),
            ("¿Cuáles son los efectos y qué dicen las fuentes?", "es"),
            ("Quali sono gli effetti della riforma?", "it"),
            ("Quais são os efeitos da reforma?", "pt"),
            ("Wat zijn de gevolgen van het besluit?", "nl"),
            ("Jakie są skutki reformy i czy jest lepiej?", "pl"),
            ("Каковы последствия реформы OpenAI?", "ru"),
            ("改革的影响是什么？", "zh"),
            ("改革の影響は何ですか？", "ja"),
            ("개혁의 영향은 무엇인가?", "ko"),
            ("ما آثار الإصلاح؟", "ar"),
        ] {
            assert_eq!(ReportPhrases::of_report(None, question), ReportPhrases::of(Some(code)), "{question}");
        }
        assert_eq!(
            ReportPhrases::of_report(Some("de"), "What is it and how?"),
            ReportPhrases::of(Some("de"))
        );
    }

    #[test]
    fn every_language_has_words_of_its_own_and_a_heading_that_names_sources() {
        assert_eq!(LANGUAGES.map(|(phrases, _, _)| phrases), ReportPhrases::ALL);
        for phrases in ReportPhrases::ALL {
            assert!(names_sources(phrases.sources), "{}", phrases.sources);
            let same = ReportPhrases::ALL.iter().filter(|other| other.about == phrases.about).count();
            assert_eq!(same, 1, "{}", phrases.about);
            let starts = phrases.together.trim_end_matches([' ', ':', '：']).to_lowercase();
            assert!(phrases.conclusion_starts.contains(&starts.as_str()), "{starts}");
        }
        for phrases in ReportPhrases::ALL.iter().skip(1) {
            for place in ["{queries}", "{providers}", "{failed}", "{pages}", "{unreadable}", "{window}"] {
                assert!(phrases.receipt.contains(place), "{} {place}", phrases.receipt);
            }
            let notices = phrases.remarks.unwrap().notices;
            assert!(notices.cut.contains("{to}") && notices.cut_guard.contains("{whole}"), "{}", notices.cut);
            assert!(notices.part_dropped.contains("{part}") && notices.site_banned.contains("{site}"));
            assert!(notices.answered_from.contains("{parent}") && notices.continued.contains("{pages}"));
        }
    }
}
