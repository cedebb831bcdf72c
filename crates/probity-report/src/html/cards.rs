//! The evidence: one card per claim with the passage in its context, its page, and how it was judged.

use super::escape::{HtmlEscape, claim_icon, day, verdict_class};
use crate::document::{EvidencePassage, PassageRole, ReportCheck, ReportClaim, ReportDocument};

pub fn write(document: &ReportDocument) -> String {
    let mut out = String::with_capacity(1024 * document.claims.len());
    out.push_str("<aside class=\"evidence\" id=\"evidence\" aria-label=\"Evidence\">\n<h2>Evidence</h2>\n");
    if document.claims.is_empty() {
        out.push_str(
            "<p class=\"hint\">The claims of this report were not checked against its sources.</p>\n",
        );
    } else {
        out.push_str("<p class=\"hint\">Choose a sentence to see the passage that it rests on.</p>\n");
    }
    for claim in document.checkable() {
        card(document, claim, &mut out);
    }
    out.push_str("</aside>");
    out
}

fn card(document: &ReportDocument, claim: &ReportClaim, out: &mut String) {
    let id = HtmlEscape(&claim.id);
    out.push_str(&format!(
        "<section class=\"c v{}{}\" id=\"{id}\"><h3>{}{} <a href=\"#s{id}\">{id}</a></h3>\n<p class=\"w\">{}</p>\n<p>{}</p>\n",
        verdict_class(claim.verdict),
        if claim.is_contested() { " d" } else { "" },
        claim_icon(claim),
        claim.label(),
        HtmlEscape(&claim.words),
        HtmlEscape(claim.why()),
    ));
    if let Some(mark) = claim.inference_mark() {
        out.push_str(&format!("<p class=\"h\">{}</p>\n", HtmlEscape(&mark)));
    }
    claim.evidence.iter().for_each(|evidence| passage(document, evidence, out));
    if claim.evidence.is_empty() {
        cited(document, claim, out);
    }
    if let Some(derived) = &claim.derived {
        let computed = derived.computed.as_deref().unwrap_or("not computable");
        out.push_str(&format!(
            "<p class=\"h\">computed again: {} = {} (stated: {})</p>\n",
            HtmlEscape(&derived.formula),
            HtmlEscape(computed),
            HtmlEscape(&derived.stated)
        ));
    }
    how(claim, out);
    checks(claim, out);
    out.push_str("</section>\n");
}

/// The passage in its context; also used where two sources disagree.
pub fn passage(document: &ReportDocument, evidence: &EvidencePassage, out: &mut String) {
    let source = document.source(evidence.source);
    let language = source.and_then(|source| source.language.as_deref());
    let language = language.map(|code| format!(" lang=\"{}\"", HtmlEscape(code))).unwrap_or_default();
    let EvidencePassage { before, passage, after, .. } = evidence;
    let mark = if evidence.part == PassageRole::Shown { "u" } else { "mark" };
    out.push_str(&format!(
        "<figure><blockquote{language}>{}<{mark}>{}</{mark}>{}</blockquote>",
        HtmlEscape(before),
        HtmlEscape(passage),
        HtmlEscape(after)
    ));
    let Some(source) = source else { return out.push_str("</figure>\n") };
    out.push_str(&format!(
        "<figcaption><a href=\"#source-{number}\">{number}</a> <cite>{}</cite> {}</figcaption></figure>\n",
        HtmlEscape(&source.title),
        HtmlEscape(&when(source)),
        number = source.number,
    ));
}

/// `host · fetched 2026-11-14`
fn when(source: &crate::document::ReportSource) -> String {
    let fetched = source.fetched_at.as_deref().map(|at| format!("fetched {}", day(at)));
    let archived = source.archive.as_ref().map(|_| "from an archive".to_owned());
    let host = Some(source.host.clone()).filter(|host| !host.is_empty());
    [host, fetched, archived].into_iter().flatten().collect::<Vec<_>>().join(" · ")
}

/// Without a passage: what the claim cites, and why that was not read.
fn cited(document: &ReportDocument, claim: &ReportClaim, out: &mut String) {
    for source in claim.cites.iter().filter_map(|number| document.source(*number)) {
        let why = source.why_unread.as_deref().map(|why| format!(" (not read: {})", HtmlEscape(why)));
        out.push_str(&format!(
            "<p class=\"h\">cites <a class=\"n\" href=\"#source-{number}\">{number}</a> {}{}</p>\n",
            source.link(),
            why.unwrap_or_default(),
            number = source.number,
        ));
    }
}

fn how(claim: &ReportClaim, out: &mut String) {
    let Some(by) = &claim.judged_by else { return };
    let on = claim.judged_on.as_deref().unwrap_or("meaning");
    let sure = claim.confidence.map(|sure| format!(", {sure} % sure")).unwrap_or_default();
    let at = claim.judged_at.as_deref().map(|at| format!(", {}", day(at))).unwrap_or_default();
    let origins = match claim.origins {
        0 => String::new(),
        1 => "; one independent origin".to_owned(),
        more => format!("; {more} independent origins"),
    };
    out.push_str(&format!(
        "<p class=\"h\">{} judged by {}{sure}{at}{origins}</p>\n",
        HtmlEscape(on),
        HtmlEscape(by)
    ));
}

/// Checks without a finding are summed up in one line: they are most of them.
fn checks(claim: &ReportClaim, out: &mut String) {
    if claim.checks.len() < 2 {
        return;
    }
    let (quiet, telling): (Vec<&ReportCheck>, Vec<&ReportCheck>) =
        claim.checks.iter().partition(|check| check.opinion == "agrees");
    out.push_str(&format!("<details><summary>{} checks</summary><ul>\n", claim.checks.len()));
    for check in telling {
        let reason =
            if check.reason.is_empty() { String::new() } else { format!(": {}", HtmlEscape(&check.reason)) };
        let source = check.source.map(|number| format!(" on [{number}]")).unwrap_or_default();
        out.push_str(&format!(
            "<li>{}{source}: {}, {} % sure, by {}{reason}</li>\n",
            HtmlEscape(&check.aspect),
            HtmlEscape(&check.opinion),
            check.confidence,
            HtmlEscape(&check.by)
        ));
    }
    if !quiet.is_empty() {
        let mut aspects: Vec<&str> = quiet.iter().map(|check| check.aspect.as_str()).collect();
        aspects.sort_unstable();
        aspects.dedup();
        out.push_str(&format!("<li>nothing against it: {}</li>\n", HtmlEscape(&aspects.join(", "))));
    }
    out.push_str("</ul></details>\n");
}
