//! What follows the report: disagreements, sources, how it was checked, what was not.

use probity_types::text;

use super::{
    cards::passage,
    escape::{HtmlEscape, HtmlLink, day, verdict_icon},
};
use crate::document::{DisplayVerdict, ReportDocument, ReportSource, ReportSourceState};

/// Claims named in one line.
const NAMED_MAX: usize = 40;
/// Claims listed in one group; the others are found by their marks.
const LISTED_MAX: usize = 15;
/// Sources named and characters shown with one of them.
const CITED_MAX: usize = 3;
const WORDS_MAX: usize = 200;

pub fn write(document: &ReportDocument, out: &mut String) {
    conflicts(document, out);
    sources(document, out);
    verified(document, out);
    lists(document, out);
    let is_checked = document.checkable().any(|claim| claim.verdict != DisplayVerdict::NotChecked);
    let rests = if is_checked { " Every verdict is computed from stored pages." } else { "" };
    out.push_str(&format!(
        "<footer>{} · {} · written {}.{rests}</footer>\n",
        HtmlEscape(&document.program),
        HtmlEscape(&document.id),
        HtmlEscape(day(&document.written_at))
    ));
}

fn conflicts(document: &ReportDocument, out: &mut String) {
    if document.conflicts.is_empty() && document.altered.is_empty() {
        return;
    }
    out.push_str("<section class=\"conflicts\" id=\"conflicts\"><h2>Where sources disagree</h2>\n");
    for conflict in &document.conflicts {
        let claims: Vec<String> =
            conflict.claims().map(HtmlEscape).map(|id| format!("<a href=\"#{id}\">{id}</a>")).collect();
        let copies = if conflict.same_origin { " (copies of one text: one of them was altered)" } else { "" };
        out.push_str(&format!(
            "<div class=\"pair\"><p>{} <bdi>{}</bdi>{copies}</p>\n",
            claims.join(", "),
            HtmlEscape(&conflict.about)
        ));
        passage(document, &conflict.left, out);
        passage(document, &conflict.right, out);
        out.push_str("</div>\n");
    }
    for (one, other) in &document.altered {
        out.push_str(&format!(
            "<p>Sources <a class=\"n\" href=\"#source-{one}\">{one}</a> and <a class=\"n\" href=\"#source-{other}\">{other}</a> \
             carry the same text with other figures.</p>\n"
        ));
    }
    out.push_str("</section>\n");
}

fn sources(document: &ReportDocument, out: &mut String) {
    if document.sources.is_empty() {
        return;
    }
    let mut origins: Vec<u32> = document.sources.iter().filter_map(|source| source.origin).collect();
    origins.sort_unstable();
    origins.dedup();
    let independent = match origins.len() {
        0 => String::new(),
        1 => format!(" <small>{} named, 1 independent origin</small>", document.sources.len()),
        count => format!(" <small>{} named, {count} independent origins</small>", document.sources.len()),
    };
    out.push_str(&format!("<section class=\"sources\" id=\"sources\"><h2>Sources{independent}</h2>\n<ol>\n"));
    for source in &document.sources {
        out.push_str(&format!("<li id=\"source-{}\">", source.number));
        one(document, source, out);
        out.push_str("</li>\n");
    }
    out.push_str("</ol></section>\n");
}

fn one(document: &ReportDocument, source: &ReportSource, out: &mut String) {
    out.push_str(&source.link().to_string());
    let dates = [
        Some(source.host.clone()).filter(|host| !host.is_empty()),
        source.published.as_ref().map(|date| format!("published {date}")),
        source.fetched_at.as_deref().map(|at| format!("fetched {}", day(at))),
        source.provenance.clone().filter(|_| source.archive.is_some()),
        Some(match (source.standing.as_str(), source.cited_by) {
            ("", 0) => "cited by no claim".to_owned(),
            ("", 1) => "cited by 1 claim".to_owned(),
            ("", more) => format!("cited by {more} claims"),
            (standing, _) => format!("cited by {standing}"),
        }),
    ];
    let details: Vec<String> = dates.into_iter().flatten().collect();
    out.push_str(&format!("<br><small><bdi>{}</bdi>", HtmlEscape(&details.join(" · "))));
    if let Some(archive) = &source.archive {
        out.push_str(&format!(" · {}", HtmlLink { to: archive, words: "archived copy" }));
    }
    let state = match (source.state, &source.why_unread) {
        (ReportSourceState::Unreachable, Some(why)) => {
            format!(" · <b>not read</b>: <bdi>{}</bdi>", HtmlEscape(why))
        }
        (ReportSourceState::Unreachable, None) => " · <b>not read</b>".to_owned(),
        (ReportSourceState::NotTried, Some(why)) => {
            format!(" · not opened for checking: <bdi>{}</bdi>", HtmlEscape(why))
        }
        (ReportSourceState::NotTried, None) => " · not opened for checking".to_owned(),
        (ReportSourceState::Kept, _) => String::new(),
    };
    out.push_str(&state);
    let kin: Vec<String> = document
        .sources
        .iter()
        .filter(|other| {
            other.number != source.number && other.origin.is_some() && other.origin == source.origin
        })
        .map(|other| other.number.to_string())
        .take(NAMED_MAX)
        .collect();
    if !kin.is_empty() {
        out.push_str(&format!(" · <b>not independent</b> of {}", kin.join(", ")));
    }
    out.push_str("</small>");
}

fn verified(document: &ReportDocument, out: &mut String) {
    let verified = &document.verified;
    out.push_str("<section class=\"verified\" id=\"verified\"><h2>How it was checked</h2>\n");
    let word = if verified.verified { "verified" } else { "not verified" };
    out.push_str(&format!(
        "<p>This report is <b>{word}</b>: {}. A report is called verified when {}.</p>\n",
        HtmlEscape(&verified.reason),
        HtmlEscape(&verified.rule)
    ));
    if let Some(judge) = &verified.judge {
        let own = if verified.judge_wrote_it { ", which also wrote the text" } else { "" };
        out.push_str(&format!("<p>Meaning was judged by <bdi>{}</bdi>{own}.</p>\n", HtmlEscape(judge)));
    }
    if let Some(exam) = &verified.judge_exam {
        out.push_str(&format!("<p>Measured of the judge: {}.</p>\n", HtmlEscape(exam)));
    }
    if let Some(second) = &verified.second_judge {
        out.push_str(&format!("<p>The <bdi>{}</bdi>.</p>\n", HtmlEscape(second)));
    }
    if !verified.fraction.is_empty() {
        out.push_str(&format!("<p>Factual sentences: {}.</p>\n", HtmlEscape(&verified.fraction)));
    }
    if verified.load_bearing > 0 {
        out.push_str(&format!(
            "<p>{} of {} key claims are supported; {} contradicted, {} contested between sources.</p>\n",
            verified.load_bearing_supported, verified.load_bearing, verified.contradicted, verified.contested
        ));
    }
    named("Cite nothing and say only what supported sentences say", &verified.restated, out);
    attention(document, out);
    named("Supported by one origin only", &verified.single_origin, out);
    if !document.claims.is_empty() {
        out.push_str("<dl class=\"legend\">\n");
        let is_told = |verdict: &DisplayVerdict| {
            !verdict.is_of_inferences() || document.counts.iter().any(|count| count.verdict == *verdict)
        };
        for verdict in DisplayVerdict::ALL.into_iter().filter(is_told) {
            out.push_str(&format!(
                "<dt class=\"v{}\">{}{}</dt><dd>{}</dd>\n",
                super::escape::verdict_class(verdict),
                verdict_icon(verdict),
                verdict.label(),
                verdict.meaning()
            ));
        }
        out.push_str("</dl>\n");
    }
    out.push_str("</section>\n");
}

/// Claims that do not hold, grouped, each with its line, section and sources.
fn attention(document: &ReportDocument, out: &mut String) {
    for (group, claims) in document.groups().into_iter().filter(|(group, _)| !group.holds()) {
        out.push_str(&format!("<h3>{} ({})</h3>\n<ul>\n", group.heading(), claims.len()));
        for claim in claims.iter().take(LISTED_MAX) {
            let mut place = vec![format!("line {}", claim.line)];
            place.extend(claim.section.clone());
            place.extend(claim.cites.iter().take(CITED_MAX).map(|number| {
                let host = document.source(*number).map(|source| source.host.as_str()).unwrap_or_default();
                format!("[{number}] {host}").trim_end().to_owned()
            }));
            out.push_str(&format!(
                "<li dir=\"auto\"><a href=\"#{0}\">{0}</a> <small><bdi>{1}</bdi></small> {2}</li>\n",
                HtmlEscape(&claim.id),
                HtmlEscape(&place.join(" · ")),
                HtmlEscape(&text::line(&claim.words, WORDS_MAX))
            ));
        }
        if let Some(more) = claims.len().checked_sub(LISTED_MAX).filter(|more| *more > 0) {
            out.push_str(&format!("<li>and {more} more, each with its mark in the text</li>\n"));
        }
        out.push_str("</ul>\n");
    }
}

fn named(words: &str, claims: &[String], out: &mut String) {
    if claims.is_empty() {
        return;
    }
    let mut links: Vec<String> =
        claims.iter().take(NAMED_MAX).map(|id| format!("<a href=\"#{0}\">{0}</a>", HtmlEscape(id))).collect();
    if claims.len() > NAMED_MAX {
        links.push(format!("and {} more", claims.len() - NAMED_MAX));
    }
    out.push_str(&format!("<p>{words}: {}.</p>\n", links.join(", ")));
}

/// What was not checked and why, what was repaired, what was searched for.
fn lists(document: &ReportDocument, out: &mut String) {
    let not_examined: Vec<String> =
        document.not_examined.iter().map(|what| format!("Not examined: {what}")).collect();
    if !document.not_checked.is_empty() || !document.remarks.is_empty() || !not_examined.is_empty() {
        out.push_str("<section id=\"not-checked\"><h2>What was not checked</h2>\n");
        for row in &document.not_checked {
            named(&format!("Because {}", HtmlEscape(&row.why)), &row.claims, out);
        }
        bullets(&not_examined, out);
        bullets(&document.remarks, out);
        out.push_str("</section>\n");
    }
    for (title, rows) in
        [("Put right in the citations", &document.mended), ("Searched for", &document.queries)]
    {
        if !rows.is_empty() {
            out.push_str(&format!("<details><summary>{title} ({})</summary>\n", rows.len()));
            bullets(rows, out);
            out.push_str("</details>\n");
        }
    }
}

fn bullets(rows: &[String], out: &mut String) {
    if rows.is_empty() {
        return;
    }
    let items: String =
        rows.iter().map(|row| format!("<li dir=\"auto\">{}</li>\n", HtmlEscape(row))).collect();
    out.push_str(&format!("<ul>\n{items}</ul>\n"));
}
