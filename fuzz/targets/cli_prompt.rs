//! Prompts and attached texts as bytes come: nothing of them makes the Gemini CLI include a file or run a
//! command, nothing of an attached text is lost, and no model's name becomes a flag.
#![no_main]

use libfuzzer_sys::fuzz_target;
use probity_research::model::ModelName;

#[allow(dead_code, reason = "the program uses all of it")]
#[path = "../../crates/probity-models/src/gemini_cli/prompt.rs"]
mod prompt;

fuzz_target!(|bytes: &[u8]| {
    let Some((cut, text)) = bytes.split_first() else { return };
    let text = String::from_utf8_lossy(text);
    let at = text.char_indices().map(|(at, _)| at).nth(usize::from(*cut)).unwrap_or(text.len());
    let (question, attached) = text.split_at(at);
    for sent in [prompt::build_prompt(question, None), prompt::build_prompt(question, Some(("/run/a@b/x.txt", attached)))] {
        let sent = sent.expect("short enough");
        let escapes = prompt::find_escapes(&sent);
        assert!(escapes.is_empty(), "{escapes:?} in {sent:?}");
    }
    let wrapped = prompt::wrap_lines(attached);
    assert_eq!(prompt::rejoin_lines(&wrapped), attached);
    assert!(wrapped.lines().all(|line| line.encode_utf16().count() < 2_000));
    if let Ok(model) = ModelName::parse(question) {
        assert!(
            !model.as_str().starts_with('-') && model.as_str().bytes().all(|byte| byte.is_ascii_graphic())
        );
    }
});
