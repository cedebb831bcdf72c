//! Which folder and file names are taken for exports. Touches nothing.

use std::path::PathBuf;

use probity_research::{
    error::{Code, CodedError},
    text,
    time::Moment,
};

/// Longest `output_dir`. With the root and the file name it stays below what file systems take.
const FOLDER_BYTES_MAX: usize = 1_024;
/// Longest name of one directory on every common file system.
const PART_BYTES_MAX: usize = 255;
const PARTS_MAX: usize = 16;
const PREFIX_BYTES_MAX: usize = 64;

/// Names that are devices on Windows, whatever their extension. Reports are shared between machines.
const RESERVED: &[&str] = &["con", "prn", "aux", "nul", "conin$", "conout$", "clock$"];

/// A folder below a root, as relative path without `..`; `.` parts are dropped.
pub fn checked_folder(text: &str) -> Result<PathBuf, CodedError> {
    let wrong =
        |why: &str| Err(refused(&format!("`{}` is no folder for reports: {why}", text::line(text, 100))));
    if text.len() > FOLDER_BYTES_MAX {
        return wrong(&format!("it has more than {FOLDER_BYTES_MAX} bytes"));
    }
    let mut folder = PathBuf::new();
    let mut count = 0;
    for part in text.split('/').filter(|part| !part.is_empty() && *part != ".") {
        count += 1;
        if let Some(why) = fault(part) {
            return wrong(why);
        }
        folder.push(part);
    }
    if count > PARTS_MAX {
        return wrong(&format!("it has more than {PARTS_MAX} parts"));
    }
    Ok(folder)
}

/// Letters, digits, `_`, `-` and `.` in ASCII, beginning with a letter, a digit or `_`.
pub fn checked_prefix(text: &str) -> Result<&str, CodedError> {
    let wrong =
        |why: &str| Err(refused(&format!("`{}` cannot begin a file name: {why}", text::line(text, 80))));
    if text.is_empty() || text.len() > PREFIX_BYTES_MAX {
        return wrong(&format!("it must have 1 to {PREFIX_BYTES_MAX} bytes"));
    }
    if !text.bytes().all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-' | b'.')) {
        return wrong("use letters, digits, `_`, `-` and `.` only");
    }
    if text.starts_with(['.', '-']) {
        return wrong("it must begin with a letter, a digit or `_`");
    }
    if is_reserved(text) {
        return wrong("the name is reserved on Windows");
    }
    Ok(text)
}

/// `2026-11` and `20261115_054014`, in UTC.
pub fn stamps(at: Moment) -> Result<(String, String), CodedError> {
    let shown = at.to_string();
    // 2026-11-15T05:40:14.000Z; years beyond 9999 have another shape.
    let (Some(month), Some(second), 24) = (shown.get(..7), shown.get(..19), shown.len()) else {
        return Err(refused(&format!("the clock says {shown}, which names no file")));
    };
    let digits = second.chars().filter(|c| !matches!(c, '-' | ':'));
    Ok((month.to_owned(), digits.map(|c| if c == 'T' { '_' } else { c }).collect()))
}

pub fn refused(message: &str) -> CodedError {
    CodedError::new(Code::OutputPath, message)
}

fn fault(part: &str) -> Option<&'static str> {
    let forbidden = |c: char| matches!(c, '\\' | ':' | '*' | '?' | '"' | '<' | '>' | '|');
    if part == ".." {
        return Some("`..` is not followed");
    }
    if part.starts_with('~') {
        return Some("`~` is not followed; write the path in full");
    }
    if part.len() > PART_BYTES_MAX {
        return Some("one of its parts is longer than file systems take");
    }
    if text::line(part, PART_BYTES_MAX) != part {
        return Some("it holds characters that are not seen, or spaces at an end");
    }
    if part.contains(forbidden) {
        return Some("one of \\ : * ? \" < > | is in it, which not every file system takes");
    }
    if part.ends_with('.') || is_reserved(part) {
        return Some("the name is reserved on Windows");
    }
    None
}

fn is_reserved(name: &str) -> bool {
    let stem = name.split('.').next().unwrap_or(name).trim_end().to_ascii_lowercase();
    let numbered = ["com", "lpt"].iter().find_map(|device| stem.strip_prefix(device));
    let is_number = |rest: &str| {
        matches!(rest, "¹" | "²" | "³") || (rest.len() == 1 && rest.bytes().all(|b| b.is_ascii_digit()))
    };
    RESERVED.contains(&stem.as_str()) || numbered.is_some_and(is_number)
}
