//! The program's own words in a report, in the language of the report where it is one of these, else in English.

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
}

const ENGLISH: ReportPhrases = ReportPhrases {
    key_points: "Key points",
    conclusions: "What follows from this",
    together: "Taken together: ",
    conclusion_starts: &[
        "taken together",
        "together,",
        "this suggests",
        "it follows",
        "overall,",
        "this implies",
    ],
    unanswered: "Not answered by the sources",
    not_found: "Not found",
    sources_differ: "Sources disagree",
    other_source: "The other",
    page_of: "page of",
    newer: "newer",
    quoted: "Quoted from the pages, not written.",
};

const GERMAN: ReportPhrases = ReportPhrases {
    key_points: "Das Wichtigste",
    conclusions: "Was daraus folgt",
    together: "Zusammengenommen: ",
    conclusion_starts: &["zusammengenommen", "daraus folgt", "das legt nahe", "insgesamt"],
    unanswered: "Von den Quellen nicht beantwortet",
    not_found: "Nicht gefunden",
    sources_differ: "Die Quellen widersprechen sich",
    other_source: "Die andere",
    page_of: "Seite vom",
    newer: "neuer",
    quoted: "Von den Seiten zitiert, nicht verfasst.",
};

const FRENCH: ReportPhrases = ReportPhrases {
    key_points: "Points clés",
    conclusions: "Ce qui en découle",
    together: "Pris ensemble : ",
    conclusion_starts: &["pris ensemble", "il en ressort", "cela suggère", "dans l'ensemble"],
    unanswered: "Sans réponse dans les sources",
    not_found: "Introuvable",
    sources_differ: "Les sources se contredisent",
    other_source: "L'autre",
    page_of: "page du",
    newer: "plus récente",
    quoted: "Cité des pages, non rédigé.",
};

const SPANISH: ReportPhrases = ReportPhrases {
    key_points: "Puntos clave",
    conclusions: "Qué se desprende de esto",
    together: "En conjunto: ",
    conclusion_starts: &["en conjunto", "de ello se sigue", "esto sugiere"],
    unanswered: "Sin respuesta en las fuentes",
    not_found: "No encontrado",
    sources_differ: "Las fuentes se contradicen",
    other_source: "La otra",
    page_of: "página del",
    newer: "más reciente",
    quoted: "Citado de las páginas, no redactado.",
};

const CHINESE: ReportPhrases = ReportPhrases {
    key_points: "要点",
    conclusions: "由此可见",
    together: "综合来看：",
    conclusion_starts: &["综合来看", "由此可见", "总体而言"],
    unanswered: "来源未能回答的问题",
    not_found: "未找到",
    sources_differ: "来源不一致",
    other_source: "另一来源",
    page_of: "页面日期",
    newer: "较新",
    quoted: "以下为页面原文引用，并非撰写。",
};

impl ReportPhrases {
    pub const ALL: [Self; 5] = [ENGLISH, GERMAN, FRENCH, SPANISH, CHINESE];

    /// `de`, `de-AT` and `German` are German.
    pub fn of(language: Option<&str>) -> Self {
        let name = language.unwrap_or_default().to_lowercase();
        match name.as_str() {
            "german" | "deutsch" => GERMAN,
            "french" | "français" => FRENCH,
            "spanish" | "español" => SPANISH,
            "chinese" | "中文" => CHINESE,
            other => match other.split(['-', '_']).next().unwrap_or_default() {
                "de" => GERMAN,
                "fr" => FRENCH,
                "es" => SPANISH,
                "zh" => CHINESE,
                _ => ENGLISH,
            },
        }
    }
}

#[cfg(test)]
mod tests {
    use super::ReportPhrases;

    #[test]
    fn a_language_is_known_by_its_code_and_by_its_name() {
        for (language, heading) in [
            (Some("de"), "Das Wichtigste"),
            (Some("German"), "Das Wichtigste"),
            (Some("zh-CN"), "要点"),
            (Some("deutlich"), "Key points"),
            (Some("pt-BR"), "Key points"),
            (None, "Key points"),
        ] {
            assert_eq!(ReportPhrases::of(language).key_points, heading, "{language:?}");
        }
    }
}
