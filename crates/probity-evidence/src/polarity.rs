//! Words that reverse a sentence: negations and pairs of opposites.

use std::{borrow::Cow, sync::LazyLock};

use crate::{hash::QuickMap, value::scan::fold, words::is_negation};

/// Opposites by folded forms without diacritics: the left one contradicts the right one.
const OPPOSITES: &[(&str, &str)] = &[
    // English
    (
        "rose rise rises rising risen climbed grew grow grows growing",
        "fell fall falls falling fallen dropped shrank shrink shrinks declined",
    ),
    (
        "increase increases increased increasing",
        "decrease decreases decreased decreasing reduce reduces reduced reducing",
    ),
    ("raise raises raised raising", "lower lowers lowered lowering"),
    ("gain gains gained", "lose loses lost"),
    ("win wins won winning defeated", "lose loses lost losing"),
    ("accept accepts accepted accepting", "reject rejects rejected rejecting"),
    ("approve approves approved", "reject rejects rejected"),
    (
        "allow allows allowed permit permits permitted",
        "forbid forbids forbidden prohibit prohibits prohibited prevents prevented prevent deny denied",
    ),
    ("enable enables enabled", "disable disables disabled"),
    ("include includes included including", "exclude excludes excluded excluding"),
    ("before", "after"),
    ("more", "less fewer"),
    ("higher", "lower"),
    ("larger bigger greater", "smaller"),
    ("faster", "slower"),
    ("longer", "shorter"),
    ("older", "newer younger"),
    ("earlier", "later"),
    ("better", "worse"),
    ("best", "worst"),
    ("most", "least"),
    ("maximum", "minimum"),
    ("always", "never"),
    ("with", "without"),
    ("above", "below"),
    ("inside", "outside"),
    ("first", "last"),
    ("true", "false"),
    ("success succeeded succeeds succeed", "failure failed fails fail"),
    ("safe", "unsafe dangerous"),
    ("required mandatory", "optional"),
    ("possible", "impossible"),
    ("supported", "unsupported"),
    ("valid", "invalid"),
    ("public", "private"),
    ("open opens opened", "close closes closed"),
    ("start starts started begin begins", "stop stops stopped end ends"),
    ("add adds added", "remove removes removed delete deletes deleted"),
    ("buy buys bought", "sell sells sold"),
    ("import imports imported", "export exports exported"),
    ("upper", "lower"),
    ("ascending", "descending"),
    ("confirmed confirms confirm", "denied denies deny"),
    ("agree agreed agrees", "disagree disagreed disagrees"),
    ("support supports", "oppose opposes opposed"),
    ("positive", "negative"),
    ("guilty", "innocent acquitted"),
    ("alive", "dead"),
    ("strong", "weak"),
    // German
    ("stieg steigt steigen gestiegen", "sank sinkt sinken gesunken fiel fallt"),
    ("erhoht erhohte erhohen erhohung", "senkt senkte senken gesenkt verringert verringerte"),
    ("mehr", "weniger"),
    ("vor", "nach"),
    ("mit", "ohne"),
    ("immer", "nie niemals"),
    ("grosser grossere", "kleiner kleinere"),
    ("erlaubt erlauben", "verboten verbietet verbieten"),
    ("aktiviert aktivieren", "deaktiviert deaktivieren"),
    ("gewann gewinnt gewonnen", "verlor verliert verloren"),
    ("schneller", "langsamer"),
    ("oberhalb", "unterhalb"),
    ("moglich", "unmoglich"),
    ("erste ersten", "letzte letzten"),
    ("annehmen angenommen", "ablehnen abgelehnt"),
    // French
    ("augmente augmenter augmentation augmentent", "diminue diminuer diminution baisse reduit"),
    ("plus", "moins"),
    ("avant", "apres"),
    ("avec", "sans"),
    ("toujours", "jamais"),
    ("active activer", "desactive desactiver"),
    ("gagne gagner", "perdu perdre"),
    ("accepte accepter", "refuse refuser rejette rejeter"),
    ("autorise autoriser permet", "interdit interdire empeche"),
    ("possible", "impossible"),
    ("premier premiere", "dernier derniere"),
    ("rapide", "lent lente"),
    // Spanish
    ("aumenta aumento aumentar aumentan", "disminuye disminuyo disminuir reduce redujo reducir"),
    ("subio sube", "bajo baja cayo cae"),
    ("mas", "menos"),
    ("antes", "despues"),
    ("con", "sin"),
    ("siempre", "nunca jamas"),
    ("gano ganar", "perdio perder"),
    ("acepta aceptar acepto", "rechaza rechazar rechazo"),
    ("permite permitir", "prohibe prohibir impide"),
    ("activa activar activado", "desactiva desactivar desactivado"),
    ("mayor", "menor"),
    ("primer primera primero", "ultimo ultima"),
    ("posible", "imposible"),
    // Russian
    (
        "вырос выросла выросли увеличился увеличилась увеличить",
        "упал упала упали снизился снизилась уменьшился уменьшить",
    ),
    ("больше более", "меньше менее"),
    ("до", "после"),
    ("всегда", "никогда"),
];

/// Opposites in scripts that write no spaces; found as parts of the text.
pub const DENSE_OPPOSITES: &[(&str, &str)] = &[
    ("增加", "减少"),
    ("增加", "減少"),
    ("上升", "下降"),
    ("提高", "降低"),
    ("之前", "之后"),
    ("启用", "禁用"),
    ("允许", "禁止"),
    ("支持", "不支持"),
    ("需要", "不需要"),
    ("可以", "不可以"),
    ("总是", "从不"),
    ("大于", "小于"),
    ("最大", "最小"),
    ("有効", "無効"),
    ("可能", "不可能"),
    ("必須", "任意"),
    ("以上", "以下"),
    ("前に", "後に"),
    ("できます", "できません"),
    ("できる", "できない"),
    ("できた", "できなかった"),
    ("します", "しません"),
    ("あります", "ありません"),
    ("された", "されなかった"),
];

/// By word: the words of the other side, in the order of the pairs.
static AGAINST: LazyLock<QuickMap<&'static str, Vec<&'static str>>> = LazyLock::new(|| {
    let mut against: QuickMap<&str, Vec<&str>> = QuickMap::default();
    for (left, right) in OPPOSITES {
        for (side, other) in [(left, right), (right, left)] {
            for form in side.split(' ') {
                against.entry(form).or_default().extend(other.split(' '));
            }
        }
    }
    against
});

/// The other side of a pair of opposites that this folded word belongs to.
pub fn opposites(word: &str) -> impl Iterator<Item = &'static str> + use<> {
    let word = if word.is_ascii() { Cow::Borrowed(word) } else { Cow::Owned(fold(word)) };
    AGAINST.get(&*word).into_iter().flatten().copied()
}

/// Whether a folded word negates its neighbours. `no` before a number is "number".
pub fn negates(word: &str) -> bool {
    is_negation(word) && !matches!(word, "mai" | "n" | "plus" | "personne" | "null")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn opposites_go_both_ways_and_stay_in_their_language() {
        assert!(opposites("rose").any(|word| word == "fell"));
        assert!(opposites("fell").any(|word| word == "rose"));
        assert!(opposites("größer").any(|word| word == "kleiner"));
        assert!(opposites("après").any(|word| word == "avant"));
        assert!(opposites("después").any(|word| word == "antes"));
        assert!(opposites("после").any(|word| word == "до"));
        assert_eq!(opposites("table").count(), 0);
    }

    #[test]
    fn negations_of_seven_languages() {
        for word in ["not", "nicht", "pas", "nunca", "не", "不", "ん"] {
            assert!(negates(word), "{word}");
        }
        assert!(!negates("plus"));
    }
}
