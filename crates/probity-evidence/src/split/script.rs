//! Which script a character belongs to, and which characters end sentences and words in it.

/// Scripts written without spaces between words.
pub fn is_dense(c: char) -> bool {
    matches!(c,
        '\u{0E00}'..='\u{0EFF}' | '\u{1000}'..='\u{109F}' | '\u{1780}'..='\u{17FF}' | '\u{3040}'..='\u{30FF}'
        | '\u{3400}'..='\u{9FFF}' | '\u{F900}'..='\u{FAFF}' | '\u{20000}'..='\u{2FA1F}')
}

/// Thai, Lao, Burmese and Khmer mark no end of a sentence but the end of a line.
pub fn is_line_script(c: char) -> bool {
    matches!(c, '\u{0E00}'..='\u{0EFF}' | '\u{1000}'..='\u{109F}' | '\u{1780}'..='\u{17FF}')
}

/// Ends a sentence wherever it is.
pub fn is_full_stop(c: char) -> bool {
    matches!(c, '。' | '！' | '？' | '｡' | '؟' | '۔' | '।' | '॥' | '።' | '၊' | '။' | '។')
}

/// Ends a sentence in some script, perhaps.
pub fn ends_sentence(c: char) -> bool {
    is_full_stop(c) || matches!(c, '.' | '!' | '?' | '…')
}

/// May be between a full stop and the end of its sentence.
pub fn is_closer(c: char) -> bool {
    matches!(
        c,
        '"' | '\''
            | '”'
            | '’'
            | '»'
            | '›'
            | ')'
            | ']'
            | '）'
            | '］'
            | '」'
            | '』'
            | '》'
            | '】'
            | '*'
            | '_'
            | '~'
            | '“'
    )
}

/// A letter of a script that has no capitals, so that names cannot be told by them.
pub fn has_no_case(c: char) -> bool {
    c.is_alphabetic() && !c.is_uppercase() && !c.is_lowercase()
}
