//! The kind of a piece of a report by itself: a fact, something computed, a question, or structure. Which facts and
//! questions are the author's own words, the whole report decides (`own_words`).

use super::{ReportPieceKind, script};

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
    pub has_number: bool,
    /// A formula can be read out of it.
    pub has_formula: bool,
}

pub fn piece_kind(seen: ReportPieceTraits<'_>) -> ReportPieceKind {
    let words = seen.words.trim();
    if seen.is_structure || !words.chars().any(char::is_alphanumeric) || is_aside(words) {
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
    ReportPieceKind::Fact
}

/// Words of a remark in brackets that belongs to the sentence before it: "(page of 2024-05-02, newer)".
const ASIDE_WORDS_MAX: usize = 6;

fn is_aside(words: &str) -> bool {
    let whole = words.trim_end_matches(['.', '。', ' ']);
    let inside = whole.strip_prefix(['(', '（']).and_then(|rest| rest.strip_suffix([')', '）']));
    inside.is_some_and(|inside| {
        !inside.contains(['(', '（', '.', '!', '。']) && inside.split_whitespace().count() <= ASIDE_WORDS_MAX
    })
}

/// Whether words end like a sentence that says something, and are enough for one.
pub fn is_whole_sentence(words: &str) -> bool {
    let ends =
        words.trim_end().trim_end_matches(script::is_closer).ends_with(['.', '!', '。', '！', '।', '۔']);
    ends && super::has_statement_length(words)
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
