//! When the sources were published, and when they were fetched.

use probity_types::time::Moment;

use super::{
    ROWS_MAX,
    bars::{LABEL_WIDTH, ROW_HEIGHT, SOFT, TOP, WIDTH, framed, label},
};
use crate::document::ReportDocument;

/// Room after the last moment.
const MARGIN: usize = 24;
/// One week: a shorter span is drawn as this long.
const SPAN_MS_MIN: i64 = 7 * 24 * 3600 * 1000;

/// One row per source with a date, the newest first.
pub fn timeline(document: &ReportDocument) -> Option<String> {
    let fetched = document.sources.iter().filter_map(|source| moment(source.fetched_at.as_deref()?)).max();
    let mut rows: Vec<(Moment, String)> = document
        .sources
        .iter()
        .filter_map(|source| {
            let at = moment(source.published.as_deref()?)?;
            Some((at, format!("{} · {}", source.host, source.number)))
        })
        .collect();
    rows.sort_by_key(|(at, _)| std::cmp::Reverse(*at));
    rows.truncate(ROWS_MAX);
    let (newest, oldest) = (rows.first()?.0, rows.last()?.0);
    let end = fetched.map_or(newest, |fetched| fetched.max(newest));
    let scale = TimeScale { start: oldest, span: (end.0.saturating_sub(oldest.0)).max(SPAN_MS_MIN) };
    let bottom = TOP + rows.len() * ROW_HEIGHT;
    let mut body = years(&scale, end, bottom);
    for (place, (at, words)) in rows.iter().enumerate() {
        let y = TOP + place * ROW_HEIGHT;
        let x = scale.x(*at);
        let edge = scale.x(end);
        body.push_str(&label(words, y));
        body.push_str(&format!(
            "<line x1=\"{x}\" y1=\"{m}\" x2=\"{edge}\" y2=\"{m}\" stroke=\"var(--line,#ddd7ca)\"/>\
             <circle cx=\"{x}\" cy=\"{m}\" r=\"5\" fill=\"var(--link,#1c5793)\"><title>{}</title></circle>\n",
            at.date(),
            m = y + 11
        ));
    }
    if fetched.is_some() {
        let x = scale.x(end);
        body.push_str(&format!(
            "<line x1=\"{x}\" y1=\"{TOP}\" x2=\"{x}\" y2=\"{bottom}\" stroke=\"var(--v2,#8a5700)\" stroke-dasharray=\"3 3\"/>\
             <text x=\"{x}\" y=\"{}\" text-anchor=\"end\" {SOFT}>fetched {}</text>\n",
            bottom + 34,
            end.date()
        ));
    }
    let description: Vec<String> =
        rows.iter().map(|(at, words)| format!("{words}: published {}", at.date())).collect();
    Some(framed("Sources by date of publication", &description.join("; "), bottom + 44, &body))
}

struct TimeScale {
    start: Moment,
    span: i64,
}

impl TimeScale {
    fn x(&self, at: Moment) -> usize {
        let room = i128::try_from(WIDTH - LABEL_WIDTH - MARGIN).unwrap_or_default();
        let passed = i128::from(at.0.saturating_sub(self.start.0).clamp(0, self.span));
        LABEL_WIDTH + usize::try_from(passed * room / i128::from(self.span.max(1))).unwrap_or_default()
    }
}

/// At most eight years are named.
fn years(scale: &TimeScale, end: Moment, bottom: usize) -> String {
    let year = |at: Moment| at.date().get(..4).and_then(|year| year.parse::<usize>().ok());
    let (Some(first), Some(last)) = (year(scale.start), year(end)) else { return String::new() };
    let step = (last.saturating_sub(first) / 8).max(1);
    (first + 1..=last)
        .step_by(step)
        .filter_map(|year| Some((year, scale.x(Moment::of_date(&format!("{year:04}-01-01"))?))))
        .map(|(year, x)| {
            format!(
                "<line x1=\"{x}\" y1=\"{TOP}\" x2=\"{x}\" y2=\"{bottom}\" stroke=\"var(--line,#ddd7ca)\" stroke-width=\".6\"/>\
                 <text x=\"{x}\" y=\"{}\" text-anchor=\"middle\" {SOFT}>{year}</text>\n",
                bottom + 16
            )
        })
        .collect()
}

/// The day of a date or of a moment; years that no web page has are none.
fn moment(date: &str) -> Option<Moment> {
    let at = Moment::of_date(date.get(..10)?)?;
    let earliest = Moment::of_date("1900-01-01")?;
    let latest = Moment::of_date("2200-01-01")?;
    (earliest..=latest).contains(&at).then_some(at)
}
