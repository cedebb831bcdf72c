//! Title, metadata of the answer, and the filters; the outline beside it.

use super::escape::{HtmlEscape, day, verdict_class, verdict_icon};
use crate::document::{DisplayVerdict, ReportDocument};

/// One shape per verdict, drawn once and used by reference: distinguishable without colour, and without a
/// font.
const SHAPES: &str = "<svg class=\"shapes\" width=\"0\" height=\"0\" aria-hidden=\"true\" focusable=\"false\">\
<symbol id=\"shape0\" viewBox=\"0 0 16 16\"><path d=\"M3 8.6l3.4 3.4L13 4.6\"/></symbol>\
<symbol id=\"shape1\" viewBox=\"0 0 16 16\"><path d=\"M6.6 4.5c.4 3.4-.8 5.6-3 7M12.6 4.5c.4 3.4-.8 5.6-3 7M5.2 4.5h1.4M11.2 4.5h1.4\"/></symbol>\
<symbol id=\"shape2\" viewBox=\"0 0 16 16\"><circle cx=\"8\" cy=\"8\" r=\"5.2\"/><path fill=\"currentColor\" d=\"M8 2.8a5.2 5.2 0 0 0 0 10.4z\"/></symbol>\
<symbol id=\"shape3\" viewBox=\"0 0 16 16\"><path d=\"M2.5 9.4c1.8-3.6 3.6-3.6 5.5-1.4s3.7 2.2 5.5-1.4\"/></symbol>\
<symbol id=\"shape4\" viewBox=\"0 0 16 16\"><path d=\"M3.6 3.6l8.8 8.8M12.4 3.6l-8.8 8.8\"/></symbol>\
<symbol id=\"shape5\" viewBox=\"0 0 16 16\"><circle cx=\"8\" cy=\"8\" r=\"5.2\"/><path d=\"M4.3 11.7l7.4-7.4\"/></symbol>\
<symbol id=\"shape6\" viewBox=\"0 0 16 16\"><circle cx=\"8\" cy=\"8\" r=\"4.6\" stroke-dasharray=\"2 2.1\"/></symbol>\
<symbol id=\"shape7\" viewBox=\"0 0 16 16\"><path d=\"M8 2.6l6 10.8H2zM8 6.6v3.4M8 11.6v.2\"/></symbol>\
<symbol id=\"shape8\" viewBox=\"0 0 16 16\"><path d=\"M2.5 8h10M9 4.2L12.8 8 9 11.8\"/></symbol>\
<symbol id=\"shape9\" viewBox=\"0 0 16 16\"><path d=\"M2.5 8h10M9 4.2L12.8 8 9 11.8M5 12.4l4.4-8.8\"/></symbol>\
<symbol id=\"shaped\" viewBox=\"0 0 16 16\"><path d=\"M3 6h10M3 10h10M10.5 2.6l-5 10.8\"/></symbol></svg>";

/// Headings of the report, and of what follows it.
pub fn outline(document: &ReportDocument, charts: &str) -> String {
    let below_title = document.outline.iter().filter(|heading| heading.level > 1);
    let own_list = document.list_of_sources_at.and_then(|at| document.blocks.get(at));
    let hidden = match own_list {
        Some(crate::document::ReportBlock::Heading { anchor, .. }) => anchor.as_str(),
        _ => "",
    };
    let report: String = below_title
        .filter(|heading| heading.anchor != hidden)
        .map(|heading| {
            let deep = if heading.level > 2 { " class=\"deep\"" } else { "" };
            format!(
                "<li{deep}><a href=\"#{}\"><bdi>{}</bdi></a></li>\n",
                heading.anchor,
                HtmlEscape(&heading.text)
            )
        })
        .collect();
    let behind: String = [
        (!document.conflicts.is_empty(), "conflicts", "Where sources disagree"),
        (!document.sources.is_empty(), "sources", "Sources"),
        (true, "verified", "How it was checked"),
        (!charts.is_empty(), "charts", "About this research"),
    ]
    .into_iter()
    .filter(|(there, _, _)| *there)
    .map(|(_, anchor, words)| format!("<li><a href=\"#{anchor}\">{words}</a></li>\n"))
    .collect();
    format!(
        "<nav class=\"outline\" aria-label=\"Outline\"><ol>\n{report}</ol><ol class=\"behind\">\n{behind}</ol></nav>"
    )
}

pub fn write(document: &ReportDocument, out: &mut String) {
    out.push_str("<main id=\"report\">");
    out.push_str(SHAPES);
    out.push_str("<header>\n");
    if document.question != document.title {
        out.push_str(&format!("<p class=\"question\" dir=\"auto\">{}</p>\n", HtmlEscape(&document.question)));
    }
    let language = document.language.as_deref().map(|code| format!(" lang=\"{}\"", HtmlEscape(code)));
    out.push_str(&format!(
        "<h1 dir=\"auto\"{}>{}</h1>\n<p class=\"facts\">{}</p>\n",
        language.unwrap_or_default(),
        HtmlEscape(&document.title),
        facts(document)
    ));
    out.push_str(&badge(document));
    // A note has the problem in it.
    if let Some(note) = document.answer.note.as_ref().or(document.answer.problem.as_ref()) {
        out.push_str(&format!("<p class=\"problem\"><bdi>{}</bdi></p>\n", HtmlEscape(note)));
    }
    out.push_str("</header>\n");
    out.push_str(&filters(document));
}

fn facts(document: &ReportDocument) -> String {
    let answer = &document.answer;
    let took = answer.took_seconds.map(|seconds| match seconds {
        0..120 => format!("{seconds} s"),
        _ => format!("{} min", (seconds + 30) / 60),
    });
    let read = (answer.pages > 0).then(|| match answer.pages {
        1 => "1 page read".to_owned(),
        pages => format!("{pages} pages read"),
    });
    let when = answer.ended_at.as_deref().unwrap_or(&answer.asked_at);
    let status = (answer.status != "completed").then(|| answer.status.replace('_', " "));
    let parts = [
        status,
        Some(day(when).to_owned()),
        Some(answer.model.clone()),
        read,
        took,
        Some(answer.cost.clone()),
    ];
    let parts: Vec<String> = parts
        .into_iter()
        .flatten()
        .filter(|part| !part.is_empty())
        .map(|part| format!("<span>{}</span>", HtmlEscape(&part)))
        .collect();
    parts.join(" · ")
}

/// Verified or not, and why.
fn badge(document: &ReportDocument) -> String {
    let verified = &document.verified;
    let (word, class) = if verified.verified { ("Verified", "yes") } else { ("Not verified", "no") };
    let why = HtmlEscape(&verified.reason);
    format!("<p class=\"badge {class}\"><a href=\"#verified\">{word}</a> <span>{why}</span></p>\n")
}

/// Radio buttons with CSS, so that they work without a script.
fn filters(document: &ReportDocument) -> String {
    let all: u32 = document.counts.iter().map(|count| count.claims).sum();
    if all == 0 {
        return String::new();
    }
    let fine =
        |verdict: DisplayVerdict| matches!(verdict, DisplayVerdict::Supported | DisplayVerdict::Quoted);
    let unsupported: u32 =
        document.counts.iter().filter(|count| !fine(count.verdict)).map(|count| count.claims).sum();
    let disputed = document.checkable().filter(|claim| claim.is_contested()).count();
    let open = unsupported + u32::try_from(disputed).unwrap_or(u32::MAX);
    let mut chips = format!(
        "<label><input type=\"radio\" name=\"f\" value=\"all\" checked><span>all <b>{all}</b></span></label>\n\
         <label><input type=\"radio\" name=\"f\" value=\"open\"><span>only what to look at <b>{open}</b></span></label>\n"
    );
    for count in &document.counts {
        let class = verdict_class(count.verdict);
        chips.push_str(&format!(
            "<label class=\"v{class}\" title=\"{}\"><input type=\"radio\" name=\"f\" value=\"{class}\">\
             <span>{}{} <b>{}</b></span></label>\n",
            count.verdict.meaning(),
            verdict_icon(count.verdict),
            count.verdict.label(),
            count.claims
        ));
    }
    format!("<fieldset class=\"filters\"><legend>Claims</legend>\n{chips}</fieldset>\n")
}
