//! The kind of a piece of a report: a fact, something computed, the author's own words, a question, or
//! structure.

use super::{ReportPieceKind, script};

/// Begin sentences about the report itself.
const ABOUT_REPORT: &[&str] = &[
    "this report",
    "this section",
    "this document",
    "this analysis",
    "this overview",
    "this study examines",
    "this research report",
    "this table",
    "this review",
    "the following",
    "the table below",
    "the sections below",
    "below is",
    "below are",
    "below,",
    "here is",
    "here are",
    "here's",
    "let me",
    "let's",
    "let us",
    "i'll",
    "i will",
    "i need",
    "i have",
    "now,",
    "now let",
    "we will",
    "we recommend",
    "i recommend",
    "our recommendation",
    "note:",
    "disclaimer",
    "please note",
    "for the purposes of this",
    "dieser bericht",
    "im folgenden",
    "wir empfehlen",
    "ce rapport",
    "nous recommandons",
    "este informe",
    "recomendamos",
    "questo rapporto",
    "este relatório",
    "настоящий отчёт",
    "этот отчёт",
    "本报告",
    "本文",
    "本研究报告",
    "本節",
    "本节",
    "以下",
    "下表",
    "我将",
    "让我",
    "我们建议",
    "建议",
    "下面",
    "本レポート",
    "以下の",
    "이 보고서",
];
/// Begin sentences that draw together or judge; with a figure in them they are still facts to check.
const TRANSITIONS: &[&str] = &[
    "in summary",
    "in conclusion",
    "to summarize",
    "to sum up",
    "overall",
    "in short",
    "ultimately",
    "taken together",
    "in essence",
    "therefore",
    "thus",
    "in other words",
    "as a result",
    "looking ahead",
    "moving forward",
    "we believe",
    "in our view",
    "in my opinion",
    "arguably",
    "it is important to",
    "it is worth noting",
    "zusammenfassend",
    "insgesamt",
    "fazit",
    "en résumé",
    "en conclusion",
    "en resumen",
    "en conclusión",
    "in sintesi",
    "em resumo",
    "в заключение",
    "таким образом",
    "综上",
    "总之",
    "总的来说",
    "总体而言",
    "总体来看",
    "因此",
    "由此可见",
    "值得注意的是",
    "结论",
    "まとめると",
    "結論として",
    "결론적으로",
];
/// Say what ought to be done.
const ADVICE: &[&str] = &[
    " should ",
    " ought to ",
    " must ",
    " need to ",
    " we suggest",
    " sollte",
    " devrait",
    " debería",
    "应该",
    "应当",
    "建议",
    "すべき",
];
/// Say that a figure was computed by the author.
const COMPUTED: &[&str] = &[
    "which works out to",
    "works out at",
    "this implies",
    "implying",
    "equals roughly",
    "equivalent to roughly",
    "we calculate",
    "we estimate",
    "by our calculation",
    "my calculation",
    "calculated as",
    "computed as",
    "dividing",
    "multiplying",
    "adding up",
    "summing",
    "rechnerisch",
    "ergibt sich",
    "soit environ",
    "据此计算",
    "计算得出",
    "折合",
    "合计约",
    "推算",
];
/// End names in languages without capitals.
const NAME_ENDINGS: &[&str] = &[
    "公司",
    "大学",
    "银行",
    "集团",
    "研究院",
    "研究所",
    "委员会",
    "协会",
    "部门",
    "政府",
    "法院",
    "医院",
    "学院",
    "省",
    "市",
    "县",
    "国家",
    "法案",
    "条例",
    "报告",
    "株式会社",
    "会社",
    "銀行",
    "大學",
    "研究院",
    "기업",
    "대학교",
    "은행",
    "정부",
];

/// What is known of a piece before its kind is chosen.
#[derive(Debug, Clone, Copy)]
pub struct ReportPieceTraits<'a> {
    pub words: &'a str,
    pub is_structure: bool,
    pub is_cited: bool,
    pub has_number: bool,
    pub has_quotation: bool,
    /// A formula can be read out of it.
    pub has_formula: bool,
}

pub fn piece_kind(seen: ReportPieceTraits<'_>) -> ReportPieceKind {
    let words = seen.words.trim();
    if seen.is_structure || !words.chars().any(char::is_alphanumeric) {
        return ReportPieceKind::Structure;
    }
    // The last one is the Greek question mark, not a semicolon.
    if words.trim_end_matches(script::is_closer).ends_with(['?', '？', '؟', '\u{37e}']) {
        return ReportPieceKind::Question;
    }
    let lower = words.to_lowercase();
    if seen.has_formula || seen.has_number && COMPUTED.iter().any(|word| lower.contains(word)) {
        return ReportPieceKind::Derived;
    }
    if seen.is_cited || seen.has_quotation {
        return ReportPieceKind::Fact;
    }
    let starts = |known: &str| starts_with_word(&lower, known);
    let is_announcement = lower.ends_with([':', '：']);
    let is_own = ABOUT_REPORT.iter().any(|known| starts(known))
        || !seen.has_number
            && (TRANSITIONS.iter().any(|known| starts(known))
                || ADVICE.iter().any(|word| lower.contains(word)))
        || is_announcement && !seen.has_number;
    if is_own { ReportPieceKind::OwnWords } else { ReportPieceKind::Fact }
}

/// Whether words end like a sentence that says something, and are enough for one.
pub fn is_whole_sentence(words: &str) -> bool {
    let ends =
        words.trim_end().trim_end_matches(script::is_closer).ends_with(['.', '!', '。', '！', '।', '۔']);
    ends && super::has_statement_length(words)
}

fn starts_with_word(lower: &str, known: &str) -> bool {
    let Some(rest) = lower.strip_prefix(known) else { return false };
    let is_dense = known.chars().next().is_some_and(script::is_dense);
    is_dense || !known.ends_with(char::is_alphanumeric) || !rest.starts_with(char::is_alphanumeric)
}

/// Whether a text has a figure: a digit that is not part of a name such as "GPT-4" or "COVID-19".
pub fn has_number(words: &str) -> bool {
    words
        .split(|c: char| c.is_whitespace() || matches!(c, '(' | ')' | '/' | '、' | '，' | '；' | '（' | '）'))
        .any(|token| {
            let Some(at) = token.find(|c: char| c.is_numeric()) else { return false };
            let before = token.get(..at).unwrap_or_default();
            // After Latin letters a digit names something; after signs, currencies and dense scripts it
            // counts.
            let is_letter = |c: char| c.is_alphabetic() && !script::is_dense(c);
            let stem = before.strip_suffix(['-', '‑']).unwrap_or(before);
            !stem.ends_with(is_letter)
                || before.ends_with('$')
                || ["us$", "eur", "usd", "rmb", "chf", "gbp"].contains(&before.to_lowercase().as_str())
        })
}

/// Whether a name is in a text, as far as its script shows names.
pub fn has_name(words: &str) -> bool {
    let mut uncased = 0;
    let mut is_first = true;
    for word in
        words.split(|c: char| !c.is_alphanumeric() && c != '\'' && c != '’').filter(|word| !word.is_empty())
    {
        let first = word.chars().next().unwrap_or(' ');
        let capitals = word.chars().filter(|c| c.is_uppercase()).count();
        if capitals >= 1 && (!is_first || capitals >= 2) && !matches!(word, "I" | "I'm" | "I'll") {
            return true;
        }
        if script::is_dense(first) {
            if NAME_ENDINGS.iter().any(|ending| word.contains(ending)) {
                return true;
            }
        } else if script::has_no_case(first) {
            uncased += 1;
        }
        is_first = false;
    }
    // Arabic, Hebrew, Hindi and others do not mark their names: no text with words in them is skipped.
    uncased >= 3 || words.contains('《') || words.contains('「')
}
