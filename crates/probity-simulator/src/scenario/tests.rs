//! Which scenario a text asks for.

use super::*;

#[track_caller]
fn check(text: &str, expected: &str) {
    let actual = match Scenario::in_text(text) {
        Ok(None) => "none".to_owned(),
        Ok(Some(scenario)) => {
            format!("{} duration_ms={} times={}", scenario.name, scenario.duration_ms, scenario.times)
        }
        Err(error) => error.to_string(),
    };
    assert_eq!(actual, expected);
}

#[test]
fn texts_ask_for_scenarios() {
    check("why is the sky blue", "none");
    check("[[slow]] why", "slow duration_ms=600000 times=1");
    check("  [[drop-after events=3 duration_ms=5 times=2]] why", "drop-after duration_ms=5 times=2");
    check("Research this: [[failed]] why", "failed duration_ms=2000 times=1");
    check("a [[wiki link]] is not a scenario", "none");
    check("[[wiki]] at the start is a typing error", "there is no scenario `wiki`");
    check("[[slow down=1]]", "scenarios have no key `down`");
    check("[[slow steps=x]]", "`x` is not a value for the key `steps`");
    check("[[slow", "none");
}

#[test]
fn every_name_parses_to_itself() {
    for name in Name::ALL {
        assert_eq!(Name::parse(name.as_str()), Some(*name));
    }
}
