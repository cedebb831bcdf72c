//! Which script a prompt asks for.

use super::*;

#[track_caller]
fn check(text: &str, expected: &str) {
    let actual = match RoundsScript::in_text(text) {
        Ok(None) => "none".to_owned(),
        Ok(Some(rounds)) => {
            let items: Vec<&str> = (1..=3).map(|turn| rounds.item(turn).as_str()).collect();
            format!("{} about {}: {}", rounds.key, rounds.topic, items.join(" "))
        }
        Err(error) => error.to_string(),
    };
    assert_eq!(actual, expected);
}

#[test]
fn prompts_ask_for_scripts() {
    check("why is the sky blue", "none");
    check("[[slow]] why", "none");
    check("[[rounds key=k1 turns=draft,agreed]] why", "k1 about k1: draft agreed agreed");
    check("Question: [[slow]] x [[rounds key=k turns=cut topic=tpu]]", "k about tpu: cut cut cut");
    let deep = format!("{} [[rounds key=k turns=prose,corrected]] {}", "a [[b ".repeat(2_000), "x".repeat(9));
    check(&deep, "k about k: prose corrected corrected");
    check("[[roundsman]]", "none");
    check("[[rounds", "none");
    check("[[rounds turns=draft]]", "a rounds tag needs `key=`");
    check("[[rounds key=k]]", "a rounds tag needs `turns=`");
    check("[[rounds key=k turns=draught]]", "`draught` is not a value for the key `turns` of rounds");
    check("[[rounds key=a/b turns=draft]]", "`a/b` is not a value for the key `key` of rounds");
    check("[[rounds key=k turns=draft speed=9]]", "rounds have no key `speed`");
    let many = format!("[[rounds key=k turns={}]]", vec!["draft"; TURNS_MAX + 1].join(","));
    assert!(RoundsScript::in_text(&many).is_err());
}

#[test]
fn every_item_parses_to_itself() {
    for item in Item::ALL {
        assert_eq!(Item::parse(item.as_str()), Some(*item));
    }
}
