//! JUnit XML: each claim is a test case, what needs attention first. A refuted claim fails, one that was not checked is
//! skipped.

use probity_types::text;

use super::{CheckedText, VerdictSeverity, severity, verdict_sentence};

pub fn document(labelled: &CheckedText<'_>) -> String {
    let mut cases = String::new();
    let (mut tests, mut failures, mut skipped) = (0_u32, 0_u32, 0_u32);
    for (_, listed) in labelled.list().claims() {
        let (claim, settled) = (listed.claim, listed.settled);
        tests += 1;
        let section = listed.section.as_ref().map(|section| format!(", {section}")).unwrap_or_default();
        let place = format!("line {}{section}", listed.line);
        let name = escaped(&format!("{} ({place}): {}", claim.id, text::line(&claim.words, 300)));
        let message = escaped(&verdict_sentence(settled));
        let kind = settled.verdict.name();
        let inner = match severity(&settled.verdict) {
            VerdictSeverity::Fine => String::new(),
            VerdictSeverity::Note => {
                skipped += 1;
                format!("<skipped message=\"{message}\"/>")
            }
            VerdictSeverity::Warning | VerdictSeverity::Error => {
                failures += 1;
                format!("<failure type=\"{kind}\" message=\"{message}\"/>")
            }
        };
        cases.push_str(&format!(
            "    <testcase classname=\"{}\" name=\"{name}\" time=\"0\">{inner}</testcase>\n",
            escaped(labelled.path)
        ));
    }
    for unread in &labelled.ledger.unread {
        tests += 1;
        skipped += 1;
        cases.push_str(&format!(
            "    <testcase classname=\"{}\" name=\"not examined\" time=\"0\"><skipped message=\"{}\"/></testcase>\n",
            escaped(labelled.path),
            escaped(unread)
        ));
    }
    let counts =
        format!("tests=\"{tests}\" failures=\"{failures}\" errors=\"0\" skipped=\"{skipped}\" time=\"0\"");
    format!(
        "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites name=\"probity verify\" tests=\"{tests}\" \
         failures=\"{failures}\" errors=\"0\" time=\"0\">\n  <testsuite name=\"{}\" {counts}>\n{cases}  </testsuite>\n\
         </testsuites>",
        escaped(labelled.path)
    )
}

/// Text inside an attribute; characters that XML cannot contain are left out.
fn escaped(words: &str) -> String {
    let mut safe = String::with_capacity(words.len());
    for character in words.chars() {
        match character {
            '&' => safe.push_str("&amp;"),
            '<' => safe.push_str("&lt;"),
            '>' => safe.push_str("&gt;"),
            '"' => safe.push_str("&quot;"),
            '\t' | '\n' | '\r' => safe.push(' '),
            other if other < ' ' || matches!(other, '\u{FFFE}' | '\u{FFFF}') => {}
            other => safe.push(other),
        }
    }
    safe
}
