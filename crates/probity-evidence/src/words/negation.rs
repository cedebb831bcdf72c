//! Words that reverse a sentence. A quotation must have exactly those of its source.

use std::sync::LazyLock;

use crate::hash::QuickSet;

/// Negations that a word for "without" cancels: "cannot be sold without". English, German, French, Spanish, Italian,
/// Portuguese, Dutch, Russian.
/// French `pas`, `plus` and `rien` without `ne` mean other things too; a false alarm there costs a quotation an
/// exact match, a miss costs its meaning.
pub const DENIALS: &[&str] = &[
    "not",
    "no",
    "never",
    "none",
    "nobody",
    "nothing",
    "cannot",
    "cant",
    "nicht",
    "kein",
    "keine",
    "keinen",
    "keinem",
    "keiner",
    "keines",
    "nie",
    "niemals",
    "niemand",
    "nichts",
    "ne",
    "pas",
    "jamais",
    "aucun",
    "aucune",
    "rien",
    "nunca",
    "jamás",
    "ningún",
    "ninguno",
    "ninguna",
    "nadie",
    "nada",
    "non",
    "nessun",
    "nessuno",
    "nessuna",
    "niente",
    "né",
    "não",
    "nenhum",
    "nenhuma",
    "ninguém",
    "niet",
    "geen",
    "nooit",
    "niemand",
    "не",
    "нет",
    "никогда",
    "никто",
    "ничего",
    "нельзя",
];

/// Those that it does not cancel, in the same languages: they say "without" themselves, join two, or deny by half; and the
/// characters of Chinese and Japanese. `dont` is missing: it is French for "of which".
const OTHER_NEGATIONS: &[&str] = &[
    "nowhere",
    "neither",
    "nor",
    "without",
    "hardly",
    "barely",
    "scarcely",
    "wont",
    "doesnt",
    "didnt",
    "isnt",
    "wasnt",
    "arent",
    "werent",
    "ohne",
    "weder",
    "kaum",
    "personne",
    "sans",
    "ni",
    "guère",
    "sin",
    "tampoco",
    "mai",
    "nulla",
    "senza",
    "sem",
    "nem",
    "niets",
    "zonder",
    "noch",
    "ни",
    "ничто",
    "нигде",
    "без",
    "不",
    "没",
    "沒",
    "无",
    "無",
    "未",
    "非",
    "否",
    "ん",
    "ぬ",
];

static KNOWN: LazyLock<QuickSet<&'static str>> =
    LazyLock::new(|| DENIALS.iter().chain(OTHER_NEGATIONS).copied().collect());

/// Whether a folded word negates.
pub fn is_negation(folded: &str) -> bool {
    folded.ends_with("n't") || KNOWN.contains(folded)
}
