//! Invented settings for the preview and the tests, hostile ones among them.

use probity_page::backend::{
    KeyField, SettingEntry, SettingField, SettingGroup, SettingTrial, SettingValue, SettingsView,
};

const FILE: &str = "~/.config/probity/config.toml";

pub fn settings_view() -> SettingsView {
    SettingsView {
        file: FILE.to_owned(),
        groups: vec![
            SettingGroup { title: "Money", about: "What may be spent.", fields: vec![budget()] },
            SettingGroup { title: "Search", about: "Who is asked.", fields: vec![engine(), searxng()] },
        ],
        keys: vec![key("GEMINI_API_KEY", Some("keys.env"), true), key("TAVILY_API_KEY", None, false)],
        trials: vec![
            trial("model", "the model m", "under $0.01"),
            trial("search:tavily", "tavily", "one search, at most $0.01"),
        ],
        entries: entries(),
        changed_since_start: vec!["budget.max_usd".to_owned()],
    }
}

fn budget() -> SettingField {
    SettingField {
        key: "budget.max_usd",
        label: "Most that one research may cost",
        meaning: "What one research may cost, in US dollars.",
        choices: Vec::new(),
        written: "2.00".to_owned(),
        value: "2.00".to_owned(),
        origin: format!("{FILE}:3"),
        overridden_by: None,
        when_empty: "no cap".to_owned(),
    }
}

fn engine() -> SettingField {
    SettingField {
        key: "research.engine",
        label: "Engine",
        meaning: "What answers: `auto` chooses.",
        choices: vec!["auto", "web"],
        written: String::new(),
        value: "auto".to_owned(),
        origin: "default".to_owned(),
        overridden_by: None,
        when_empty: "auto, the default".to_owned(),
    }
}

fn searxng() -> SettingField {
    SettingField {
        key: "search.searxng_url",
        label: "Your own SearXNG",
        meaning: "Where it is.",
        choices: Vec::new(),
        written: "\"><script>alert(1)</script>".to_owned(),
        value: "https://search.example/<script>alert(1)</script>".to_owned(),
        origin: "SEARXNG_URL".to_owned(),
        overridden_by: Some("SEARXNG_URL".to_owned()),
        when_empty: "none is asked".to_owned(),
    }
}

fn key(name: &'static str, stored_in: Option<&str>, is_stored: bool) -> KeyField {
    KeyField {
        name,
        meaning: "A provider's key.".to_owned(),
        is_set: stored_in.is_some(),
        is_stored,
        origin: stored_in.unwrap_or_default().to_owned(),
    }
}

fn trial(name: &str, label: &str, cost: &str) -> SettingTrial {
    SettingTrial { name: name.to_owned(), label: label.to_owned(), cost: cost.to_owned() }
}

fn entries() -> Vec<SettingEntry> {
    let shown = |key: &str, value: &str, origin: &str| SettingEntry {
        key: key.to_owned(),
        value: SettingValue::Shown(value.to_owned()),
        origin: origin.to_owned(),
    };
    vec![
        shown("budget.research", "$2.00", "~/.config/probity/config.toml:3"),
        shown("engine", "auto", "default"),
        shown("limits.rounds_max", "5", "default"),
        shown("search.searxng_url", "https://search.example/<script>alert(1)</script>", "SEARXNG_URL"),
        SettingEntry {
            key: "models.gemini_key".to_owned(),
            value: SettingValue::SecretPresent,
            origin: "GEMINI_API_KEY".to_owned(),
        },
        SettingEntry {
            key: "search.tavily_key".to_owned(),
            value: SettingValue::SecretAbsent,
            origin: "default".to_owned(),
        },
    ]
}
