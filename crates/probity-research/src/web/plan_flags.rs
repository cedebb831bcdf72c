//! A plan as the flags of the command line that ask for it: a hint that repeats a research must not ask for another one.

use super::plan::WebPlan;

impl WebPlan {
    /// The flags beside `--web`. Context of the user's own is in a file that is not known here, and is left out.
    pub fn as_flags(&self) -> Vec<String> {
        let (hints, filters) = (&self.hints, &self.filters);
        let mut flags = Vec::new();
        let mut add = |name: &str, value: &str| flags.push(format!("--{name} {}", in_shell(value)));
        if let Some(level) = hints.level {
            add("depth", level.as_str());
        }
        if let Some(words) = hints.words {
            add("words", &words.to_string());
        }
        if let Some(language) = &hints.language {
            add("answer-language", language);
        }
        for (name, values) in [
            ("page", &self.pages),
            ("folder", &self.folders),
            ("site", &filters.domains),
            ("without-site", &filters.domains_excluded),
            ("language", &filters.languages),
        ] {
            values.iter().for_each(|value| add(name, value));
        }
        for (name, day) in [("after", &filters.after), ("before", &filters.before)] {
            day.iter().for_each(|day| add(name, day));
        }
        if self.render {
            flags.push("--render".to_owned());
        }
        flags
    }
}

/// A value as a shell takes it.
fn in_shell(value: &str) -> String {
    let is_plain = |letter: char| letter.is_alphanumeric() || "-._/:@%+,=".contains(letter);
    match !value.is_empty() && value.chars().all(is_plain) {
        true => value.to_owned(),
        false => format!("'{}'", value.replace('\'', "'\\''")),
    }
}

#[cfg(test)]
mod tests {
    use super::in_shell;

    #[test]
    fn a_value_goes_through_a_shell_unchanged() {
        for (value, written) in [
            ("medium", "medium"),
            ("http://pages.test/b.html", "http://pages.test/b.html"),
            ("http://a.test/?q=1&r=2", "'http://a.test/?q=1&r=2'"),
            ("it's", "'it'\\''s'"),
            ("", "''"),
        ] {
            assert_eq!(in_shell(value), written);
        }
    }
}
