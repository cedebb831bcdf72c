//! Text and runs of a word processor's XML.

use std::fmt::Write as _;

/// Foreign text inside XML. Characters that XML does not know are left out: one of them makes the file unreadable.
pub fn escaped(text: &str) -> String {
    let mut kept = String::with_capacity(text.len() + 8);
    for character in text.chars() {
        match character {
            '&' => kept.push_str("&amp;"),
            '<' => kept.push_str("&lt;"),
            '>' => kept.push_str("&gt;"),
            '"' => kept.push_str("&quot;"),
            '\t' | '\n' | '\r' => kept.push(' '),
            '\u{0}'..='\u{1F}' | '\u{FFFE}' | '\u{FFFF}' => {}
            _ => kept.push(character),
        }
    }
    kept
}

/// The style of a run.
#[derive(Debug, Clone, Copy, Default)]
pub struct DocxTextStyle {
    pub bold: bool,
    pub italic: bool,
    pub struck: bool,
    pub code: bool,
    pub link: bool,
    pub raised: bool,
    /// An underline of this kind and colour.
    pub line: Option<(&'static str, &'static str)>,
}

pub fn run(text: &str, look: DocxTextStyle) -> String {
    if text.is_empty() {
        return String::new();
    }
    let mut properties = String::new();
    // In the order that the format requires.
    if look.link {
        properties.push_str("<w:rStyle w:val=\"Hyperlink\"/>");
    }
    if look.code {
        properties.push_str("<w:rFonts w:ascii=\"Consolas\" w:hAnsi=\"Consolas\" w:cs=\"Consolas\"/>");
    }
    for (there, name) in [(look.bold, "b"), (look.italic, "i"), (look.struck, "strike")] {
        if there {
            let _ = write!(properties, "<w:{name}/>");
        }
    }
    if let Some((kind, colour)) = look.line {
        let _ = write!(properties, "<w:u w:val=\"{kind}\" w:color=\"{colour}\"/>");
    }
    if look.raised {
        properties.push_str("<w:vertAlign w:val=\"superscript\"/>");
    }
    format!("<w:r><w:rPr>{properties}</w:rPr><w:t xml:space=\"preserve\">{}</w:t></w:r>", escaped(text))
}

/// A paragraph; `properties` are ours.
pub fn paragraph(style: &str, properties: &str, runs: &str) -> String {
    let style = if style.is_empty() { String::new() } else { format!("<w:pStyle w:val=\"{style}\"/>") };
    format!("<w:p><w:pPr>{style}{properties}</w:pPr>{runs}</w:p>\n")
}

/// A table with a line below each row; the first row is its head.
pub fn table(rows: &[Vec<String>]) -> String {
    let columns = rows.iter().map(Vec::len).max().unwrap_or_default().max(1);
    let width = 9_000 / columns;
    let grid = format!("<w:gridCol w:w=\"{width}\"/>").repeat(columns);
    let mut body = String::new();
    for (place, row) in rows.iter().enumerate() {
        let head = if place == 0 { "<w:trPr><w:tblHeader/></w:trPr>" } else { "" };
        body.push_str(&format!("<w:tr>{head}"));
        for cell in row.iter().map(String::as_str).chain(std::iter::repeat_n("", columns - row.len())) {
            let cell = if cell.is_empty() { "<w:p/>" } else { cell };
            body.push_str(&format!(
                "<w:tc><w:tcPr><w:tcW w:w=\"{width}\" w:type=\"dxa\"/></w:tcPr>{cell}</w:tc>"
            ));
        }
        body.push_str("</w:tr>\n");
    }
    format!(
        "<w:tbl><w:tblPr><w:tblStyle w:val=\"Lines\"/><w:tblW w:w=\"5000\" w:type=\"pct\"/></w:tblPr><w:tblGrid>{grid}</w:tblGrid>\n{body}</w:tbl>\n<w:p/>\n"
    )
}
