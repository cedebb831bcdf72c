use std::path::Path;

use super::{ConfigValue, SettingEdit, edited_text};
use crate::settings::definitions;

/// The text after `KEY=VALUE` is set, or after `KEY` is unset, each in turn.
fn edited(before: &str, words: &[&str]) -> Result<String, String> {
    let edit = |word: &&str| {
        let (key, value) = word.split_once('=').map_or((*word, None), |(key, value)| (key, Some(value)));
        let known = definitions::find(key).unwrap();
        let edit = value
            .map_or(SettingEdit::Unset, |value| SettingEdit::Set(ConfigValue::of_text(known.kind, value)));
        (known.key, edit)
    };
    let edits: Vec<(&'static str, SettingEdit)> = words.iter().map(edit).collect();
    edited_text(Path::new("config.toml"), before, &edits).map_err(|failure| failure.problem.message)
}

#[track_caller]
fn check(before: &str, words: &[&str], after: &str) {
    assert_eq!(edited(before, words).unwrap(), after, "{words:?}");
}

#[test]
fn comments_order_and_line_ends_stay() {
    let both = &["budget.max_usd=2.50", "chat.model=a\"b"];
    check("", both, "[budget]\nmax_usd = 2.50\n\n[chat]\nmodel = 'a\"b'\n");
    check(
        "# mine\n[chat] # who writes\nkind = \"auto\"\n\n[budget]\nmax_usd = 9 # a lot\n# end\n",
        both,
        "# mine\n[chat] # who writes\nkind = \"auto\"\nmodel = 'a\"b'\n\n[budget]\nmax_usd = 2.50 # a lot\n# end\n",
    );
    check(
        "[budget]\r\nmax_usd = 9\r\n",
        both,
        "[budget]\r\nmax_usd = 2.50\r\n\r\n[chat]\r\nmodel = 'a\"b'\r\n",
    );
    check(
        "[budget]\n# what I can afford\nmax_usd = 9\n",
        &["budget.max_usd=2"],
        "[budget]\n# what I can afford\nmax_usd = 2\n",
    );
    check("budget.max_usd = 9\n", &["budget.max_usd=2"], "budget.max_usd = 2\n");
}

#[test]
fn each_kind_is_written_in_its_own_form() {
    let form = |word: &str| edited("", &[word]).unwrap();
    assert_eq!(form("checks.enabled=false"), "[checks]\nenabled = false\n");
    assert_eq!(form("limits.driven_max=20"), "[limits]\ndriven_max = 20\n");
    assert_eq!(form("research.deadline=20m"), "[research]\ndeadline = \"20m\"\n");
    assert_eq!(form("search.providers=tavily, brave"), "[search]\nproviders = [\"tavily\", \"brave\"]\n");
    assert_eq!(form("search.providers="), "[search]\nproviders = []\n");
    // What does not fit is a text, so that whoever reads it can say what it is not.
    assert_eq!(form("checks.enabled=maybe"), "[checks]\nenabled = \"maybe\"\n");
    assert_eq!(form("limits.driven_max=[1]"), "[limits]\ndriven_max = \"[1]\"\n");
}

#[test]
fn what_is_unset_goes_and_nothing_else() {
    let unset = &["budget.max_usd"];
    check(
        "[budget] # money\n# for one\nmax_usd = 9 # a lot\n# for all\nper_day_usd = 20\n",
        unset,
        "[budget] # money\n# for one\n# for all\nper_day_usd = 20\n",
    );
    check("[budget]\r\nmax_usd = 9\r\nguard_usd = 1\r\n", unset, "[budget]\r\nguard_usd = 1\r\n");
    check("[budget]\nmax_usd = 9", unset, "[budget]\n");
    check("budget.max_usd = 9\nbudget.guard_usd = 1\n", unset, "budget.guard_usd = 1\n");
    check("[search]\nproviders = [\n  \"tavily\", # mine\n]\n", &["search.providers"], "[search]\n");
    check("[chat]\nmodel = \"m\"\n", unset, "[chat]\nmodel = \"m\"\n");
    check("", unset, "");
    let inline = edited("budget = { max_usd = 9, guard_usd = 1 }\n", unset).unwrap();
    assert!(!inline.contains("max_usd") && inline.contains("guard_usd = 1"), "{inline}");
}

#[test]
fn what_is_no_section_is_left_alone() {
    assert_eq!(
        edited("budget = 1\n", &["budget.max_usd=1"]).unwrap_err(),
        "config.toml: `budget.max_usd` has no section to stand in"
    );
    assert_eq!(edited("[budget\n", &["budget.max_usd=1"]).unwrap_err(), "config.toml is not valid TOML");
    assert!(edited("[budget\n", &["budget.max_usd"]).is_err());
}
