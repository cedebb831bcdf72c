//! Makes text inert before it becomes a prompt: the CLI reads `@path` as "put that file here" and a leading
//! `/word` as a command to itself, also where a web page wrote it.
//!
//! Pure. The promise is checked by `find_escapes`, which reads a prompt as the CLI does.

use probity_research::error::{Code, CodedError};

/// Longest prompt sent, in bytes. The CLI cuts its input at 8 MiB without an error; half of that leaves room.
pub const PROMPT_BYTES_MAX: usize = 4 * 1024 * 1024;

/// The replacement of `@`. The CLI's own escape is a backslash, which would break JSON inside a
/// prompt, and an invisible character does not help: `@x/../file` names `file` whatever `x` is.
const INERT_AT: char = '＠';

/// Put before a prompt that would begin as a command.
const OPENING: &str = "Text: ";

/// Characters that make the CLI, in one of its modes, take what follows for something other than a question.
const COMMAND_SIGNS: &[char] = &['/', '$', '!', '?', '#', '&'];

/// Longest line of an attached file, in characters. The CLI's `read_file` cuts lines at 2,000 and says nothing
/// of what was lost; it counts UTF-16 units, of which a character has at most two.
const LINE_CHARACTERS_MAX: usize = 900;

/// Ends a line that was cut and goes on in the next.
const CONTINUES: char = '\\';

/// How the file is to be read, for the prompt that follows it.
const WRAPPED: &str =
    "The text of that file follows. In the file, a line that ends in a backslash goes on in the next line.";

/// What the model has to know to read such a prompt; appended to the system prompt.
pub const NOTE: &str =
    "In what you are given, the sign ＠ stands for the at sign. Write the at sign yourself.";

/// The prompt with every `@` made inert, and no command at its start.
pub fn neutralize(text: &str) -> String {
    let replaced: String = text.chars().map(|c| if c == '@' { INERT_AT } else { c }).collect();
    if begins_as_command(&replaced) { format!("{OPENING}{replaced}") } else { replaced }
}

/// The reverse, for what the model writes and searches.
pub fn restore_at_signs(text: &str) -> String {
    text.replace(INERT_AT, "@")
}

/// The prompt and, after it, the attached text. `path` is where the file with that text is.
pub fn build_prompt(prompt: &str, attached: Option<(&str, &str)>) -> Result<String, CodedError> {
    let whole = match attached {
        None => neutralize(prompt),
        Some((path, text)) => {
            neutralize(&format!("{}\n\n{WRAPPED}\n\n{text}\n", prompt.replace("{{path}}", path)))
        }
    };
    if whole.len() > PROMPT_BYTES_MAX {
        let message = format!(
            "the prompt has {} bytes; the Gemini CLI is given at most {PROMPT_BYTES_MAX}",
            whole.len()
        );
        return Err(CodedError::new(Code::CliInput, &message));
    }
    Ok(whole)
}

/// The text in lines that `read_file` does not cut. A line that was cut here ends in a backslash; one that
/// ended in a backslash by itself gets an empty continuation, so that joining gives back the text.
pub fn wrap_lines(text: &str) -> String {
    let mut out = String::with_capacity(text.len() + text.len() / LINE_CHARACTERS_MAX + 1);
    for (number, line) in text.split('\n').enumerate() {
        if number > 0 {
            out.push('\n');
        }
        let mut length = 0;
        for character in line.chars() {
            if length == LINE_CHARACTERS_MAX {
                out.push(CONTINUES);
                out.push('\n');
                length = 0;
            }
            out.push(character);
            length += 1;
        }
        if line.ends_with(CONTINUES) {
            out.push(CONTINUES);
            out.push('\n');
        }
    }
    out
}

/// The reverse of `wrap_lines`.
pub fn rejoin_lines(text: &str) -> String {
    text.replace("\\\n", "")
}

/// Where the CLI would act on a prompt instead of passing it on: paths it would include, a command it would run.
/// Stricter than the CLI: any `@` counts, whether or not there is such a file.
pub fn find_escapes(prompt: &str) -> Vec<String> {
    let mut found: Vec<String> =
        prompt.match_indices('@').map(|(at, _)| format!("an at sign at {at}")).collect();
    if begins_as_command(prompt) {
        found.push("a command at the start".to_owned());
    }
    found
}

fn begins_as_command(text: &str) -> bool {
    text.trim_start_matches(blank).starts_with(COMMAND_SIGNS)
}

/// What JavaScript's `trim` takes away, and control characters besides.
fn blank(character: char) -> bool {
    character.is_whitespace() || character.is_control() || character == '\u{FEFF}'
}

// The path is explicit because the fuzz target includes this file under another one.
#[cfg(test)]
#[path = "prompt/tests.rs"]
mod tests;
