//! The file with the user's keys: lines of `NAME=VALUE`, readable by the user only. Desktop clients start us
//! without the shell's variables, so keys must have a place of their own.
//!
//! Knows the names that may appear there and refuses others. Never prints a value.

use std::{
    collections::BTreeMap,
    fs,
    io::{self, Read as _},
    os::unix::fs::PermissionsExt as _,
    path::Path,
};

use crate::environment::{ANTHROPIC_KEY, CHAT_KEY, KEYS, search_keys};

/// Beside `config.toml`.
pub const NAME: &str = "keys.env";
/// Ten keys take a kilobyte.
const FILE_BYTES_MAX: u64 = 64 * 1024;
/// No provider's key is longer.
const VALUE_BYTES_MAX: usize = 4 * 1024;

/// What the file contained.
#[derive(Clone, Default)]
pub struct KeyFile {
    pub values: BTreeMap<String, String>,
    /// What is wrong with it, for the doctor.
    pub problem: Option<String>,
    pub is_there: bool,
    /// Others may read it.
    pub is_exposed: bool,
}

/// Names that may appear there.
pub fn names() -> impl Iterator<Item = &'static str> {
    KEYS.into_iter().chain([CHAT_KEY, ANTHROPIC_KEY]).chain(search_keys().map(|(name, _)| name))
}

/// Nothing here stops the program: what cannot be read is reported by the doctor.
pub fn read(path: &Path) -> KeyFile {
    let with_problem =
        |problem: String| KeyFile { problem: Some(problem), is_there: true, ..KeyFile::default() };
    let mut text = String::new();
    let opened = fs::File::open(path).and_then(|file| {
        let mode = file.metadata()?.permissions().mode();
        file.take(FILE_BYTES_MAX).read_to_string(&mut text)?;
        Ok(mode)
    });
    let mode = match opened {
        Ok(mode) => mode,
        Err(error) if matches!(error.kind(), io::ErrorKind::NotFound | io::ErrorKind::NotADirectory) => {
            return KeyFile::default();
        }
        Err(error) => return with_problem(format!("could not be read: {error}")),
    };
    let (values, unknown) = parse(&text);
    let problem = match (mode & 0o077, unknown) {
        (0, 0) => None,
        (0, lines) => Some(format!("{lines} of its lines hold no known key")),
        _ => Some("can be read by others".to_owned()),
    };
    KeyFile { values, problem, is_there: true, is_exposed: mode & 0o077 != 0 }
}

/// Where the Gemini CLI looks for a key of its own, below what it takes for the home directory.
pub const GEMINI_CLI_FILE: &str = ".gemini/.env";

/// The key that the Gemini CLI would read there by itself. Nothing else of the file is taken.
pub fn of_gemini_cli(home: &Path) -> Option<String> {
    read(&home.join(GEMINI_CLI_FILE)).values.remove(KEYS[0])
}

/// The known keys, and how many other lines there are. A value may be in quotes.
pub fn parse(text: &str) -> (BTreeMap<String, String>, usize) {
    let mut values = BTreeMap::new();
    let mut unknown = 0;
    for line in text.lines().map(str::trim).filter(|line| !line.is_empty() && !line.starts_with('#')) {
        match pair(line) {
            Some((name, value)) => {
                values.insert(name.to_owned(), value.to_owned());
            }
            None => unknown += 1,
        }
    }
    (values, unknown)
}

/// The text with these keys set; comments and other lines stay.
pub fn with_keys(text: &str, keys: &BTreeMap<String, String>) -> String {
    let mut left = keys.clone();
    let mut lines: Vec<String> = Vec::new();
    for line in text.lines() {
        let replaced = pair(line.trim()).and_then(|(name, _)| Some((name, left.remove(name)?)));
        lines.push(replaced.map_or_else(|| line.to_owned(), |(name, value)| format!("{name}={value}")));
    }
    lines.extend(left.into_iter().map(|(name, value)| format!("{name}={value}")));
    lines.join("\n") + "\n"
}

/// The text without this key; comments and other lines stay.
pub fn without_key(text: &str, name: &str) -> String {
    let is_its = |line: &&str| pair(line.trim()).is_some_and(|(known, _)| known == name);
    let lines: Vec<&str> = text.lines().filter(|line| !is_its(line)).collect();
    if lines.is_empty() { String::new() } else { lines.join("\n") + "\n" }
}

/// Whether a text can be a key at all: one word without control characters.
pub fn is_key(value: &str) -> bool {
    (8..=VALUE_BYTES_MAX).contains(&value.len()) && value.bytes().all(|byte| byte.is_ascii_graphic())
}

fn pair(line: &str) -> Option<(&str, &str)> {
    let line = line.strip_prefix("export ").unwrap_or(line);
    let (name, value) = line.split_once('=')?;
    let (name, value) = (name.trim(), value.trim());
    let quoted = ['"', '\''].iter().find_map(|quote| value.strip_prefix(*quote)?.strip_suffix(*quote));
    let value = quoted.unwrap_or(value);
    (names().any(|known| known == name) && is_key(value)).then_some((name, value))
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use super::{GEMINI_CLI_FILE, of_gemini_cli, parse, with_keys, without_key};

    #[test]
    fn known_keys_are_read_and_others_counted() {
        let text = "# mine\nGEMINI_API_KEY=abcdefgh\nexport TAVILY_API_KEY=\"tvly-12345\"\nPATH=/evil/bin\nBRAVE_API_KEY=a b\n\nnonsense\n";
        let (values, unknown) = parse(text);
        let names: Vec<(&str, &str)> =
            values.iter().map(|(name, value)| (name.as_str(), value.as_str())).collect();
        assert_eq!(names, [("GEMINI_API_KEY", "abcdefgh"), ("TAVILY_API_KEY", "tvly-12345")]);
        assert_eq!(unknown, 3);
    }

    #[test]
    fn of_the_gemini_clis_own_file_nothing_but_its_key_is_taken() {
        let home = tempfile::tempdir().unwrap();
        assert_eq!(of_gemini_cli(home.path()), None);
        std::fs::create_dir(home.path().join(".gemini")).unwrap();
        let write = |text: &str| std::fs::write(home.path().join(GEMINI_CLI_FILE), text).unwrap();
        write("GOOGLE_API_KEY=of-vertex-ai\nTAVILY_API_KEY=tvly-12345\nGOOGLE_CLOUD_PROJECT=mine\n");
        assert_eq!(of_gemini_cli(home.path()), None);
        write("# mine\nexport GEMINI_API_KEY='abcdefgh'\n");
        assert_eq!(of_gemini_cli(home.path()).as_deref(), Some("abcdefgh"));
    }

    #[test]
    fn a_key_is_taken_out_with_its_line_alone() {
        let text = "# mine\nexport GEMINI_API_KEY='old-value'\nEXA_API_KEY=exa-value\n";
        assert_eq!(without_key(text, "GEMINI_API_KEY"), "# mine\nEXA_API_KEY=exa-value\n");
        assert_eq!(without_key(text, "TAVILY_API_KEY"), text);
        assert_eq!(without_key("EXA_API_KEY=exa-value\n", "EXA_API_KEY"), "");
    }

    #[test]
    fn a_key_is_replaced_where_it_stands_and_added_at_the_end() {
        let keys = BTreeMap::from([
            ("GEMINI_API_KEY".to_owned(), "new-value".to_owned()),
            ("EXA_API_KEY".to_owned(), "exa-value".to_owned()),
        ]);
        let text = "# mine\nGEMINI_API_KEY=old-value\n# end\n";
        assert_eq!(
            with_keys(text, &keys),
            "# mine\nGEMINI_API_KEY=new-value\n# end\nEXA_API_KEY=exa-value\n"
        );
        assert_eq!(with_keys("", &keys), "EXA_API_KEY=exa-value\nGEMINI_API_KEY=new-value\n");
    }
}
