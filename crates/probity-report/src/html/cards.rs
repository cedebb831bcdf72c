//! The evidence: one card per claim with the passage in its context, its page, and how it was judged.

use super::escape::{Escaped, class, day, shape};
use crate::document::{Check, Claim, Document, Evidence, Part};

pub fn write(document: &Document) -> String {
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

fn card(document: &Document, claim: &Claim, out: &mut String) {
    let id = Escaped(&claim.id);
    out.push_str(&format!(
        "<section class=\"c v{}\" id=\"{id}\"><h3>{}{} <a href=\"#s{id}\">{id}</a></h3>\n<p class=\"w\">{}</p>\n<p>{}</p>\n",
        class(claim.verdict),
        shape(claim.verdict),
        claim.verdict.label(),
        Escaped(&claim.words),
        Escaped(reason(claim)),
    ));
    claim.evidence.iter().for_each(|evidence| passage(document, evidence, out));
    if claim.evidence.is_empty() {
        cited(document, claim, out);
    }
    if let Some(derived) = &claim.derived {
        let computed = derived.computed.as_deref().unwrap_or("not computable");
        out.push_str(&format!(
            "<p class=\"h\">computed again: {} = {} (stated: {})</p>\n",
            Escaped(&derived.formula),
            Escaped(computed),
            Escaped(&derived.stated)
        ));
    }
    how(claim, out);
    checks(claim, out);
    out.push_str("</section>\n");
}

/// What whoever judged said of this claim; else what the verdict means.
fn reason(claim: &Claim) -> &str {
    if claim.reason.is_empty() { &claim.told } else { &claim.reason }
}

/// The passage in its context; also used where two sources disagree.
pub fn passage(document: &Document, evidence: &Evidence, out: &mut String) {
    let source = document.source(evidence.source);
    let language = source.and_then(|source| source.language.as_deref());
    let language = language.map(|code| format!(" lang=\"{}\"", Escaped(code))).unwrap_or_default();
    let Evidence { before, passage, after, .. } = evidence;
    let mark = if evidence.part == Part::Shown { "u" } else { "mark" };
    out.push_str(&format!(
        "<figure><blockquote{language}>{}<{mark}>{}</{mark}>{}</blockquote>",
        Escaped(before),
        Escaped(passage),
        Escaped(after)
    ));
    let Some(source) = source else { return out.push_str("</figure>\n") };
    out.push_str(&format!(
        "<figcaption><a href=\"#source-{number}\">{number}</a> <cite>{}</cite> {}</figcaption></figure>\n",
        Escaped(&source.title),
        Escaped(&when(source)),
        number = source.number,
    ));
}

/// `host · fetched 2026-11-14`
fn when(source: &crate::document::Source) -> String {
    let fetched = source.fetched_at.as_deref().map(|at| format!("fetched {}", day(at)));
    let archived = source.archive.as_ref().map(|_| "from an archive".to_owned());
    let host = Some(source.host.clone()).filter(|host| !host.is_empty());
    [host, fetched, archived].into_iter().flatten().collect::<Vec<_>>().join(" · ")
}

/// Without a passage: what it cites, and why that was not read.
fn cited(document: &Document, claim: &Claim, out: &mut String) {
    for source in claim.cites.iter().filter_map(|number| document.source(*number)) {
        let why = source.why_unread.as_deref().map(|why| format!(" (not read: {})", Escaped(why)));
        out.push_str(&format!(
            "<p class=\"h\">cites <a class=\"n\" href=\"#source-{number}\">{number}</a> {}{}</p>\n",
            source.link(),
            why.unwrap_or_default(),
            number = source.number,
        ));
    }
}

fn how(claim: &Claim, out: &mut String) {
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
        Escaped(on),
        Escaped(by)
    ));
}

/// Checks that found nothing are told in one line: they are most of them.
fn checks(claim: &Claim, out: &mut String) {
    if claim.checks.len() < 2 {
        return;
    }
    let (quiet, telling): (Vec<&Check>, Vec<&Check>) =
        claim.checks.iter().partition(|check| check.opinion == "agrees");
    out.push_str(&format!("<details><summary>{} checks</summary><ul>\n", claim.checks.len()));
    for check in telling {
        let reason =
            if check.reason.is_empty() { String::new() } else { format!(": {}", Escaped(&check.reason)) };
        let source = check.source.map(|number| format!(" on [{number}]")).unwrap_or_default();
        out.push_str(&format!(
            "<li>{}{source}: {}, {} % sure, by {}{reason}</li>\n",
            Escaped(&check.aspect),
            Escaped(&check.opinion),
            check.confidence,
            Escaped(&check.by)
        ));
    }
    if !quiet.is_empty() {
        let mut aspects: Vec<&str> = quiet.iter().map(|check| check.aspect.as_str()).collect();
        aspects.sort_unstable();
        aspects.dedup();
        out.push_str(&format!("<li>nothing against it: {}</li>\n", Escaped(&aspects.join(", "))));
    }
    out.push_str("</ul></details>\n");
}
