//! Words that weaken a statement: hedges, narrowed scope, reported speech, "currently".

use std::{borrow::Cow, sync::LazyLock};

use crate::{hash::QuickMap, value::scan::fold, word_table::WordTable};

/// Words by which a text does not commit itself. Folded, without diacritics.
const HEDGES: &[&str] = &[
    "may",
    "might",
    "could",
    "possibly",
    "perhaps",
    "probably",
    "likely",
    "suggests",
    "suggest",
    "suggested",
    "suggesting",
    "appears",
    "appear",
    "seems",
    "seem",
    "reportedly",
    "allegedly",
    "alleged",
    "apparently",
    "supposedly",
    "presumably",
    "believed",
    "rumored",
    "rumoured",
    "estimated",
    "potentially",
    "unclear",
    "tentatively",
    "preliminary",
    "claims",
    "claimed",
    "hypothesized",
    "speculated",
    // German
    "moglicherweise",
    "vielleicht",
    "vermutlich",
    "wahrscheinlich",
    "angeblich",
    "offenbar",
    "scheint",
    "konnte",
    "konnten",
    "durfte",
    "mutmasslich",
    "anscheinend",
    // French
    "peut-etre",
    "pourrait",
    "pourraient",
    "probablement",
    "semble",
    "semblent",
    "apparemment",
    "suggere",
    "presumement",
    "vraisemblablement",
    // Spanish
    "quizas",
    "quiza",
    "podria",
    "podrian",
    "probablemente",
    "posiblemente",
    "parece",
    "parecen",
    "presuntamente",
    "supuestamente",
    "sugiere",
    // Russian
    "возможно",
    "вероятно",
    "может",
    "предположительно",
    "якобы",
    "кажется",
    "видимо",
];

/// Parts of texts without spaces that hedge.
pub const DENSE_HEDGES: &[&str] = &[
    "可能",
    "也许",
    "也許",
    "据说",
    "似乎",
    "大概",
    "かもしれ",
    "おそらく",
    "ようです",
    "らしい",
    "とされ",
    "でしょう",
    "場合があ",
];

/// Words that claim everything.
const ALL: &[&str] = &[
    "all",
    "every",
    "always",
    "everyone",
    "entirely",
    "completely",
    "each",
    "only",
    "any",
    "alle",
    "jeder",
    "jede",
    "jedes",
    "immer",
    "stets",
    "nur",
    "tous",
    "toutes",
    "chaque",
    "toujours",
    "seulement",
    "todos",
    "todas",
    "cada",
    "siempre",
    "solo",
    "все",
    "каждый",
    "всегда",
    "только",
];

/// Words that claim a part.
const SOME: &[&str] = &[
    "some",
    "many",
    "most",
    "several",
    "often",
    "sometimes",
    "usually",
    "partly",
    "partially",
    "mainly",
    "generally",
    "typically",
    "few",
    "half",
    "majority",
    "occasionally",
    "einige",
    "manche",
    "viele",
    "oft",
    "manchmal",
    "meist",
    "meistens",
    "teilweise",
    "gewohnlich",
    "certains",
    "certaines",
    "quelques",
    "plusieurs",
    "souvent",
    "parfois",
    "generalement",
    "algunos",
    "algunas",
    "muchos",
    "muchas",
    "varios",
    "varias",
    "menudo",
    "generalmente",
    "некоторые",
    "многие",
    "часто",
    "иногда",
    "обычно",
];

/// Verbs and phrases of reported speech.
const SAYS: &[&str] = &[
    "said",
    "says",
    "told",
    "stated",
    "announced",
    "argued",
    "wrote",
    "claimed",
    "explained",
    "reported",
    "added",
    "noted",
    "according",
    "sagte",
    "sagt",
    "erklarte",
    "laut",
    "teilte",
    "declare",
    "declaré",
    "dit",
    "selon",
    "affirme",
    "dijo",
    "segun",
    "afirmo",
    "declaro",
    "сказал",
    "сказала",
    "заявил",
    "заявила",
    "сообщил",
    "сообщила",
];

/// Narrowings of science and of place that a claim likes to drop: what follows "in", "among", "for".
const NARROW: &[&str] = &[
    "mice",
    "mouse",
    "rats",
    "rat",
    "vitro",
    "animals",
    "monkeys",
    "simulations",
    "simulation",
    "theory",
    "principle",
    "laboratory",
    "men",
    "women",
    "children",
    "adults",
    "patients",
    "europe",
    "germany",
    "france",
    "england",
    "california",
    "windows",
    "linux",
    "macos",
    "unix",
    "mausen",
    "ratten",
    "souris",
    "ratones",
    "ratas",
];

/// Words that say that something holds today.
const NOW: &[&str] = &[
    "currently",
    "current",
    "now",
    "today",
    "nowadays",
    "presently",
    "latest",
    "derzeit",
    "derzeitige",
    "derzeitiger",
    "aktuelle",
    "aktueller",
    "aktuellen",
    "jetzt",
    "actuel",
    "actuelle",
    "vigente",
    "attuale",
    "attualmente",
    "oggi",
    "atualmente",
    "atual",
    "hoje",
    "momenteel",
    "huidige",
    "obecnie",
    "нынешний",
    "حاليا",
    "الحالي",
    "현재",
    "aktuell",
    "heute",
    "momentan",
    "actuellement",
    "aujourd'hui",
    "actualmente",
    "hoy",
    "сейчас",
    "сегодня",
];

/// Parts of texts without spaces that say the same.
pub const DENSE_NOW: &[&str] = &["目前", "现在", "現在", "如今", "当前"];

/// What a folded word does to a statement.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum QualifierKind {
    Hedge,
    All,
    Some,
    Says,
    Narrow,
    Now,
}

/// A word in two lists has the shade of the first.
static SHADES: LazyLock<WordTable<QualifierKind>> = LazyLock::new(|| {
    let lists = [
        (HEDGES, QualifierKind::Hedge),
        (ALL, QualifierKind::All),
        (SOME, QualifierKind::Some),
        (SAYS, QualifierKind::Says),
        (NARROW, QualifierKind::Narrow),
        (NOW, QualifierKind::Now),
    ];
    let mut shades: QuickMap<&'static str, QualifierKind> = QuickMap::default();
    for (list, shade) in lists {
        for word in list {
            shades.entry(*word).or_insert(shade);
        }
    }
    shades.into_iter().collect()
});

/// The shade a folded word has; most have none.
pub fn qualifier_kind(word: &str) -> Option<QualifierKind> {
    let word = if word.is_ascii() { Cow::Borrowed(word) } else { Cow::Owned(fold(word)) };
    SHADES.get(&word).copied()
}

/// Whether a folded word says what somebody was able to do, as often as what may be.
pub fn is_ability(word: &str) -> bool {
    matches!(word, "could" | "konnte" | "konnten" | "durfte" | "durften" | "мог" | "могла" | "могли")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_have_shades_in_several_languages() {
        for (word, expected) in [
            ("reportedly", QualifierKind::Hedge),
            ("möglicherweise", QualifierKind::Hedge),
            ("pourrait", QualifierKind::Hedge),
            ("podría", QualifierKind::Hedge),
            ("возможно", QualifierKind::Hedge),
            ("every", QualifierKind::All),
            ("einige", QualifierKind::Some),
            ("según", QualifierKind::Says),
            ("mice", QualifierKind::Narrow),
            ("derzeit", QualifierKind::Now),
        ] {
            assert_eq!(qualifier_kind(word), Some(expected), "{word}");
        }
        assert_eq!(qualifier_kind("table"), None);
    }
}
