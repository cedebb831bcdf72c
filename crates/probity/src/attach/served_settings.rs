//! The settings that decide what a run is and costs, as a server tells them to its clients.

use std::collections::BTreeMap;

use crate::{keys::ProviderKeys, settings::SettingLine};

/// Settings of the server itself: a client need not have the same.
const OF_THE_SERVER: [&str; 5] = ["serve.", "watch.", "fleet.", "store.", "limits."];
/// Whether there is a key; never the key.
const GEMINI_KEY: &str = "gemini.key";
const PRESENT: &str = "present";

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ServedSettings(BTreeMap<String, String>);

impl ServedSettings {
    pub fn new(shown: &[SettingLine]) -> Self {
        let of_runs =
            shown.iter().filter(|line| !OF_THE_SERVER.iter().any(|prefix| line.key.starts_with(prefix)));
        Self(of_runs.map(|line| (line.key.to_owned(), line.value.clone())).collect())
    }

    pub fn with_keys(mut self, keys: &ProviderKeys) -> Self {
        if keys.gemini.is_some() {
            self.0.insert(GEMINI_KEY.to_owned(), PRESENT.to_owned());
        }
        self
    }

    pub fn encode(&self) -> String {
        serde_json::to_string(&self.0).unwrap_or_default()
    }

    pub fn decode(line: &str) -> Option<Self> {
        serde_json::from_str(line).ok().map(Self)
    }

    /// Names of the settings that this process has otherwise than the server. A key that only the server has is one more
    /// reason to attach. All of them where it is unknown what the server has.
    pub fn differing_from(&self, served: Option<&Self>) -> Vec<&str> {
        let same = |(name, value): &(&String, &String)| {
            served.is_some_and(|served| served.0.get(*name) == Some(*value))
        };
        self.0.iter().filter(|entry| !same(entry)).map(|(name, _)| name.as_str()).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn settings(lines: &[(&'static str, &str)]) -> ServedSettings {
        let line = |(key, value): &(&'static str, &str)| SettingLine {
            key,
            value: (*value).to_owned(),
            origin: "environment".to_owned(),
        };
        ServedSettings::new(&lines.iter().map(line).collect::<Vec<_>>())
    }

    #[test]
    fn a_setting_of_runs_that_differs_is_named_and_one_of_the_server_is_not() {
        let served = settings(&[("budget.max_usd", ""), ("serve.listen", "127.0.0.1:1")]);
        let served = ServedSettings::decode(&served.encode()).unwrap();
        let own = settings(&[("budget.max_usd", "0.10"), ("serve.listen", "127.0.0.1:2")]);
        assert_eq!(own.differing_from(Some(&served)), ["budget.max_usd"]);
        assert_eq!(own.differing_from(Some(&own)), Vec::<&str>::new());
        assert_eq!(own.differing_from(None), ["budget.max_usd"]);
    }
}
