//! What follows the report: disagreements, sources, how it was checked, what was not.

use super::{
    cards::passage,
    escape::{HtmlEscape, HtmlLink, day, verdict_icon},
};
use crate::document::{DisplayVerdict, ReportDocument, ReportSource, ReportSourceState};

/// Claims named in one line.
const NAMED_MAX: usize = 40;

pub fn write(document: &ReportDocument, out: &mut String) {
    conflicts(document, out);
    sources(document, out);
    verified(document, out);
    lists(document, out);
    out.push_str(&format!(
        "<footer>{} · {} · written {}. Every verdict is computed from stored pages.</footer>\n",
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
        let id = HtmlEscape(&conflict.claim);
        let copies = if conflict.same_origin { " (copies of one text: one of them was altered)" } else { "" };
        out.push_str(&format!(
            "<div class=\"pair\"><p><a href=\"#{id}\">{id}</a> <bdi>{}</bdi>{copies}</p>\n",
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
        Some(match source.cited_by {
            0 => "cited by no claim".to_owned(),
            1 => "cited by 1 claim".to_owned(),
            more => format!("cited by {more} claims"),
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
        (ReportSourceState::NotTried, _) => " · not opened for checking".to_owned(),
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
    if verified.load_bearing > 0 {
        out.push_str(&format!(
            "<p>{} of {} claims that carry the answer are supported; {} contradicted, {} contested between sources.</p>\n",
            verified.load_bearing_supported, verified.load_bearing, verified.contradicted, verified.contested
        ));
    }
    named("What keeps it from being verified", &verified.failing, out);
    named("Supported by one origin only", &verified.single_origin, out);
    if !document.claims.is_empty() {
        out.push_str("<dl class=\"legend\">\n");
        for verdict in DisplayVerdict::ALL {
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
    if !document.not_checked.is_empty() || !document.remarks.is_empty() {
        out.push_str("<section id=\"not-checked\"><h2>What was not checked</h2>\n");
        for row in &document.not_checked {
            named(&format!("Because {}", HtmlEscape(&row.why)), &row.claims, out);
        }
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
