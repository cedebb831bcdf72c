//! The fenced blocks of a page that hold commands, or files that commands need. Pure.

/// A block of commands, or a file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DocsBlock {
    /// Of the fence, from 1.
    pub line: usize,
    pub kind: DocsBlockKind,
    pub text: String,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum DocsBlockKind {
    /// Commands with what they print: they are run.
    Console(Vec<DocsCommand>),
    /// Commands that cannot run here, and why.
    Excused(String),
    /// Commands without a word about why they are not run.
    Bare,
    /// Written into the working directory under this name before the commands that follow.
    File(String),
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DocsCommand {
    pub line: usize,
    pub typed: String,
    /// The code that it ends with; `? 4` below the command.
    pub exit: i32,
    pub expected: Vec<String>,
}

const NOT_RUN: &str = "<!-- not run:";
const FILE: &str = "<!-- file:";
const SHELLS: [&str; 5] = ["sh", "bash", "shell", "zsh", "fish"];

pub fn read(text: &str) -> Vec<DocsBlock> {
    let lines: Vec<&str> = text.lines().collect();
    let mut blocks = Vec::new();
    let mut place = 0;
    while let Some(line) = lines.get(place) {
        let Some((indent, language)) = fence(line) else {
            place += 1;
            continue;
        };
        let rest = lines.get(place + 1..).unwrap_or_default();
        let length = rest.iter().position(|line| line.trim() == "```").unwrap_or(rest.len());
        let inside: Vec<&str> = rest
            .iter()
            .take(length)
            .map(|line| line.get(indent..).unwrap_or_else(|| line.trim_start()))
            .collect();
        let before = place.checked_sub(1).and_then(|before| lines.get(before)).map_or("", |line| line.trim());
        if let Some(kind) = kind(language, before, &inside, place + 1) {
            blocks.push(DocsBlock { line: place + 1, kind, text: inside.join("\n") + "\n" });
        }
        place += length + 2;
    }
    blocks
}

/// How far an opening fence is indented, and its language.
fn fence(line: &str) -> Option<(usize, &str)> {
    let inside = line.trim_start().strip_prefix("```")?;
    Some((line.len() - line.trim_start().len(), inside.split([' ', ',']).next().unwrap_or_default()))
}

fn kind(language: &str, before: &str, inside: &[&str], line: usize) -> Option<DocsBlockKind> {
    let remark = |open: &str| {
        let (_, behind) = before.split_once(open)?;
        Some(behind.trim_end().trim_end_matches("-->").trim().to_owned()).filter(|text| !text.is_empty())
    };
    if let Some(name) = remark(FILE) {
        return Some(DocsBlockKind::File(name));
    }
    if language == "console" {
        return Some(DocsBlockKind::Console(commands(inside, line)));
    }
    if !SHELLS.contains(&language) {
        return None;
    }
    Some(remark(NOT_RUN).map_or(DocsBlockKind::Bare, DocsBlockKind::Excused))
}

/// `$ ` begins a command; a line that ends in a backslash goes on in the next.
fn commands(inside: &[&str], fence: usize) -> Vec<DocsCommand> {
    let mut commands: Vec<DocsCommand> = Vec::new();
    let mut goes_on = false;
    for (place, text) in inside.iter().enumerate() {
        match (text.strip_prefix("$ "), commands.last_mut()) {
            (None, None) => {}
            (_, Some(last)) if goes_on => {
                last.typed.push('\n');
                last.typed.push_str(text.strip_prefix("> ").unwrap_or(text));
            }
            (Some(typed), _) => {
                let line = fence + place + 1;
                commands.push(DocsCommand { line, typed: typed.to_owned(), exit: 0, expected: Vec::new() });
            }
            (None, Some(last)) => match exit(text).filter(|_| last.expected.is_empty()) {
                Some(exit) => last.exit = exit,
                None => last.expected.push((*text).to_owned()),
            },
        }
        goes_on = text.ends_with('\\');
    }
    commands
}

fn exit(text: &str) -> Option<i32> {
    text.strip_prefix("? ")?.trim().parse().ok()
}

#[cfg(test)]
mod tests {
    use super::{DocsBlockKind, read};

    #[test]
    fn blocks_are_run_excused_or_bare() {
        let page = "# A\n```console\n$ probity x \\\n>   --y\n? 4\nout [..]\n\n$ probity z\n```\n\
            1. In a list:\n   <!-- not run: needs brew -->\n   ```sh\n   brew install it\n   ```\n\
            ```sh\nrm -rf\n```\n```json\n{}\n```\n<!-- file: a.md -->\n```markdown\ntext\n```\n";
        let blocks = read(page);
        let kinds: Vec<&DocsBlockKind> = blocks.iter().map(|block| &block.kind).collect();
        let DocsBlockKind::Console(commands) = kinds[0] else { panic!("{kinds:?}") };
        assert_eq!(commands[0].typed, "probity x \\\n  --y");
        assert_eq!(
            (commands[0].exit, commands[0].expected.as_slice()),
            (4, &["out [..]".to_owned(), String::new()][..])
        );
        assert_eq!((commands[1].typed.as_str(), commands[1].line), ("probity z", 8));
        assert_eq!(kinds[1], &DocsBlockKind::Excused("needs brew".to_owned()));
        assert_eq!(kinds[2], &DocsBlockKind::Bare);
        assert_eq!(kinds[3], &DocsBlockKind::File("a.md".to_owned()));
        assert_eq!((blocks[3].text.as_str(), blocks.len()), ("text\n", 4));
    }
}
