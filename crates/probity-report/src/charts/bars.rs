//! Bars with their labels and numbers, and the frame that every chart has.

use crate::html::escape::HtmlEscape;
use probity_types::text;

pub const WIDTH: usize = 620;
pub const LABEL_WIDTH: usize = 210;
pub const ROW_HEIGHT: usize = 26;
/// Room for the title.
pub const TOP: usize = 36;
/// Room for the numbers after the longest bar.
const NUMBER_WIDTH: usize = 120;
const LABEL_CHARACTERS_MAX: usize = 28;

pub struct ChartBar {
    pub label: String,
    pub value: u64,
    pub shown: String,
    /// Ours, never foreign.
    pub fill: &'static str,
}

/// None where there is nothing to draw.
pub fn bars(title: &str, rows: Vec<ChartBar>) -> Option<String> {
    let most = rows.iter().map(|row| row.value).max().filter(|most| *most > 0)?;
    let room = u64::try_from(WIDTH - LABEL_WIDTH - NUMBER_WIDTH).unwrap_or_default();
    let mut body = String::new();
    for (place, row) in rows.iter().enumerate() {
        let y = TOP + place * ROW_HEIGHT;
        let length = (u128::from(row.value) * u128::from(room) / u128::from(most)).max(2);
        body.push_str(&label(&row.label, y));
        body.push_str(&format!(
            "<rect x=\"{LABEL_WIDTH}\" y=\"{}\" width=\"{length}\" height=\"15\" rx=\"2\" fill=\"{}\"/>\
             <text x=\"{}\" y=\"{}\" {SOFT}>{}</text>\n",
            y + 3,
            row.fill,
            u128::try_from(LABEL_WIDTH).unwrap_or_default() + length + 8,
            y + 15,
            HtmlEscape(&row.shown),
        ));
    }
    let description: Vec<String> = rows.iter().map(|row| format!("{}: {}", row.label, row.shown)).collect();
    Some(framed(title, &description.join("; "), TOP + rows.len() * ROW_HEIGHT + 8, &body))
}

pub const SOFT: &str = "fill=\"var(--soft,#5a606b)\" font-size=\"12\"";

/// A label to the left of its row.
pub fn label(words: &str, y: usize) -> String {
    format!(
        "<text x=\"{}\" y=\"{}\" text-anchor=\"end\" fill=\"var(--ink,#22252a)\" font-size=\"13\">{}</text>",
        LABEL_WIDTH - 10,
        y + 15,
        HtmlEscape(&text::line(words, LABEL_CHARACTERS_MAX))
    )
}

/// The chart with its name and its description for screen readers.
pub fn framed(title: &str, description: &str, height: usize, body: &str) -> String {
    format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" role=\"img\" viewBox=\"0 0 {WIDTH} {height}\" \
         font-family=\"Avenir Next, Segoe UI, Noto Sans, Arial, sans-serif\"><title>{title}</title><desc>{}</desc>\n\
         <text x=\"0\" y=\"18\" font-size=\"14\" font-weight=\"600\" fill=\"var(--ink,#22252a)\">{title}</text>\n{body}</svg>",
        HtmlEscape(&text::line(description, 4_000)),
        title = HtmlEscape(title),
    )
}
