//! A model's answer as bytes come: reading, mending and comparing it never panics, never hangs, and never passes
//! a torn text off as a whole one.
#![no_main]

use libfuzzer_sys::fuzz_target;
use probity_research::rounds::{agreement::answers_agree, answer::parse_model_answer, links};

const BEFORE: &str = r#"{"success":true,"verified":true,"report":""#;

fuzz_target!(|bytes: &[u8]| {
    let text = String::from_utf8_lossy(bytes);
    if let Ok(spoken) = parse_model_answer(&text) {
        assert!(!spoken.report.trim().is_empty(), "an empty report was taken for an answer");
        let _ = answers_agree(&spoken.report, &text);
    }
    for address in links::addresses(&text) {
        assert!(text.contains(&address), "an address that does not stand in the text");
        let _ = links::canonical(&address);
    }
    // Whatever is put into the string of an answer that is never closed: it was cut.
    let inside: String = text.chars().filter(|c| !matches!(c, '"' | '\\' | '{' | '}' | '`')).collect();
    assert!(parse_model_answer(&format!("{BEFORE}{inside}")).is_err(), "a torn answer was taken for a whole one");
});
