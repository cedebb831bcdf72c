//! The files of the repository as text: which part of the house a file belongs to, its code without comments, its words.

use std::{fs, io, path::Path};

/// Folders that belong to git, to a build or to installed tools.
const FOREIGN: [&str; 4] = [".git", ".tools", "target", "node_modules"];

/// What a line is for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SourceRole {
    Product,
    Test,
    /// The outside world of the tests.
    Simulated,
    Measuring,
}

pub struct SourceFile {
    /// From the root of the repository, with `/`.
    pub path: String,
    pub role: SourceRole,
    /// Without comments and without the tests at its end.
    pub code: String,
    pub lines: usize,
    /// Of these, the tests at its end.
    pub test_lines: usize,
}

impl SourceFile {
    /// `crates/probity-web`, or `benches`.
    pub fn crate_folder(&self) -> &str {
        let last = usize::from(self.path.starts_with("crates/"));
        let end = self.path.match_indices('/').nth(last).map(|(end, _)| end);
        end.and_then(|end| self.path.get(..end)).unwrap_or(&self.path)
    }
}

pub struct SourceTree {
    /// Every file of the repository.
    pub paths: Vec<String>,
    pub files: Vec<SourceFile>,
}

impl SourceTree {
    pub fn load(root: &Path) -> io::Result<Self> {
        let mut paths = Vec::new();
        collect(root, "", &mut paths)?;
        paths.sort();
        let rust = paths.iter().filter(|path| path.ends_with(".rs"));
        let files = rust.map(|path| Ok(source_file(path, &fs::read_to_string(root.join(path))?)));
        Ok(Self { files: files.collect::<io::Result<_>>()?, paths })
    }

    pub fn product(&self) -> impl Iterator<Item = &SourceFile> {
        self.files.iter().filter(|file| file.role == SourceRole::Product)
    }

    pub fn lines(&self, role: SourceRole) -> usize {
        let own = self.files.iter().filter(|file| file.role == role).map(|file| file.lines).sum::<usize>();
        let tests = |file: &&SourceFile| (file.role == role) != (role == SourceRole::Test);
        let tests: usize = self.files.iter().filter(tests).map(|file| file.test_lines).sum();
        if role == SourceRole::Test { own + tests } else { own - tests }
    }

    /// Product files that have one of these words in their code.
    pub fn product_files_naming(&self, wanted: &[&str]) -> Vec<String> {
        let named = self.product().filter(|file| words(&file.code).any(|word| wanted.contains(&word)));
        named.map(|file| file.path.clone()).collect()
    }
}

fn source_file(path: &str, text: &str) -> SourceFile {
    let is_test = ["/tests/", "/tests.rs", "/examples/", "/fixture", "/probity-testing/"]
        .iter()
        .any(|part| path.contains(part));
    let simulated = ["crates/probity-simulator/", "crates/probity-conformance/"];
    let role = match path {
        _ if is_test => SourceRole::Test,
        _ if simulated.iter().any(|start| path.starts_with(start)) => SourceRole::Simulated,
        _ if path.starts_with("crates/") => SourceRole::Product,
        _ => SourceRole::Measuring,
    };
    let (code, tests) = text.split_once("#[cfg(test)]\nmod tests {").unwrap_or((text, ""));
    let (lines, test_lines) = (text.lines().count(), tests.lines().count());
    let test_lines = if is_test { 0 } else { test_lines };
    SourceFile { role, code: without_comments(code), lines, test_lines, path: path.to_owned() }
}

fn collect(root: &Path, folder: &str, found: &mut Vec<String>) -> io::Result<()> {
    for entry in fs::read_dir(root.join(folder))? {
        let entry = entry?;
        let (name, kind) = (entry.file_name().to_string_lossy().into_owned(), entry.file_type()?);
        if kind.is_dir() && !FOREIGN.contains(&name.as_str()) {
            collect(root, &format!("{folder}{name}/"), found)?;
        } else if kind.is_file() {
            found.push(format!("{folder}{name}"));
        }
    }
    Ok(())
}

/// Runs of letters, digits and underscores.
pub fn words(text: &str) -> impl Iterator<Item = &str> {
    text.split(|letter: char| !letter.is_alphanumeric() && letter != '_').filter(|word| !word.is_empty())
}

/// Strings stay, because macros and attributes name functions in them; `https://` is no comment.
fn without_comments(text: &str) -> String {
    let code = text.lines().map(|line| {
        let comment =
            line.match_indices("//").find(|(place, _)| !line.get(..*place).unwrap_or("").ends_with(':'));
        comment.and_then(|(place, _)| line.get(..place)).unwrap_or(line)
    });
    code.fold(String::with_capacity(text.len()), |out, line| out + line + "\n")
}

#[cfg(test)]
mod tests {
    use super::{SourceRole, source_file};

    #[test]
    fn a_file_is_cut_into_code_and_tests() {
        let text = "//! Why.\nlet a = \"https://x\"; // Because.\n#[cfg(test)]\nmod tests {\n  b();\n}\n";
        let file = source_file("crates/probity-web/src/a.rs", text);
        assert_eq!((file.role, file.crate_folder()), (SourceRole::Product, "crates/probity-web"));
        assert_eq!(file.code, "\nlet a = \"https://x\"; \n");
        assert_eq!((file.lines, file.test_lines), (6, 3));
    }
}
