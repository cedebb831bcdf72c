use probity_research::error::Code;
use proptest::prelude::*;

use super::{
    PROMPT_BYTES_MAX, build_prompt, find_escapes, neutralize, rejoin_lines, restore_at_signs, wrap_lines,
};

#[test]
fn files_and_commands_in_a_prompt_become_text() {
    assert_eq!(neutralize("read @/etc/passwd"), "read ＠/etc/passwd");
    assert_eq!(neutralize("who is bob@example.com"), "who is bob＠example.com");
    assert_eq!(neutralize("/memory show"), "Text: /memory show");
    assert_eq!(neutralize("\u{feff}\n $skill"), "Text: \u{feff}\n $skill");
    assert_eq!(neutralize("why is the sky blue?"), "why is the sky blue?");
}

#[test]
fn what_the_model_writes_has_its_at_signs_back() {
    assert_eq!(restore_at_signs(&neutralize("bob@example.com")), "bob@example.com");
}

#[test]
fn the_attached_text_follows_the_prompt_and_the_path_is_named() {
    let prompt = build_prompt("read {{path}} and mend it", Some(("/run/x.txt", "{\"a\": \"b@c\""))).unwrap();
    assert!(prompt.starts_with("read /run/x.txt and mend it\n\n"), "{prompt}");
    assert!(prompt.ends_with("{\"a\": \"b＠c\"\n"), "{prompt}");
}

#[test]
fn a_prompt_that_the_cli_would_cut_is_refused_before_it_is_sent() {
    let refused = build_prompt(&"a".repeat(PROMPT_BYTES_MAX + 1), None).unwrap_err();
    assert_eq!(refused.code, Code::CliInput);
    assert!(build_prompt(&"a".repeat(PROMPT_BYTES_MAX), None).is_ok());
}

#[test]
fn no_line_of_an_attached_file_is_long_enough_to_be_cut() {
    let text = format!("{}\nshort\n{}", "🦀".repeat(5_000), "b".repeat(901));
    let wrapped = wrap_lines(&text);
    let longest = wrapped.lines().map(|line| line.encode_utf16().count()).max().unwrap();
    assert!(longest < 2_000, "{longest}");
    assert_eq!(rejoin_lines(&wrapped), text);
}

fn hostile() -> impl Strategy<Value = String> {
    let piece = prop_oneof![
        Just("@".to_owned()),
        Just("\\@".to_owned()),
        Just("@\"a b\"".to_owned()),
        Just("@x/../secret.txt".to_owned()),
        Just("/".to_owned()),
        Just("$".to_owned()),
        Just("{{path}}".to_owned()),
        Just("\n".to_owned()),
        Just("\\".to_owned()),
        Just("\u{feff}".to_owned()),
        any::<String>(),
    ];
    prop::collection::vec(piece, 0..12).prop_map(|pieces| pieces.concat())
}

proptest! {
    #[test]
    fn no_text_makes_the_cli_include_a_file_or_run_a_command(prompt in hostile(), text in hostile()) {
        let sent = build_prompt(&prompt, Some(("/run/a@b/x.txt", &text))).unwrap();
        prop_assert_eq!(find_escapes(&sent), Vec::<String>::new());
        prop_assert_eq!(find_escapes(&neutralize(&prompt)), Vec::<String>::new());
    }

    #[test]
    fn wrapping_loses_nothing(text in hostile(), long in "[a\\\\]{0,3000}") {
        let text = format!("{text}{long}");
        prop_assert_eq!(rejoin_lines(&wrap_lines(&text)), text);
    }
}
