//! JUnit XML: each claim is a test case, what needs attention first. What made the caller fail is a failure; any other
//! claim that does not hold is skipped, with its verdict.

use std::collections::BTreeSet;

use probity_types::{ledger::ClaimId, text};

use super::{CheckedText, VerdictSeverity, listed_sentence, severity};

/// What the caller's rules fail on; decided by whoever gives the exit code.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct FailedGate {
    pub claims: BTreeSet<ClaimId>,
    /// What fails of the text as a whole: a name in one word, and why.
    pub whole: Vec<(&'static str, String)>,
}

impl FailedGate {
    pub fn is_empty(&self) -> bool {
        self.claims.is_empty() && self.whole.is_empty()
    }
}

pub fn document(labelled: &CheckedText<'_>, failed: &FailedGate) -> String {
    let mut cases = String::new();
    let (mut tests, mut failures, mut skipped) = (0_u32, 0_u32, 0_u32);
    for (_, listed) in labelled.list().claims() {
        let (claim, settled) = (listed.claim, listed.settled);
        tests += 1;
        let section = listed.section.as_ref().map(|section| format!(", {section}")).unwrap_or_default();
        let place = format!("line {}{section}", listed.line);
        let name = escaped(&format!("{} ({place}): {}", claim.id, text::line(&claim.words, 300)));
        let message = escaped(&listed_sentence(listed));
        let kind = settled.verdict.name();
        let inner = match (failed.claims.contains(&claim.id), severity(&settled.verdict)) {
            (true, _) => {
                failures += 1;
                format!("<failure type=\"{kind}\" message=\"{message}\"/>")
            }
            (false, VerdictSeverity::Fine) => String::new(),
            (false, VerdictSeverity::Note | VerdictSeverity::Warning | VerdictSeverity::Error) => {
                skipped += 1;
                format!("<skipped message=\"{message}\"/>")
            }
        };
        cases.push_str(&format!(
            "    <testcase classname=\"{}\" name=\"{name}\" time=\"0\">{inner}</testcase>\n",
            escaped(labelled.path)
        ));
    }
    for (kind, why) in &failed.whole {
        tests += 1;
        failures += 1;
        cases.push_str(&format!(
            "    <testcase classname=\"{}\" name=\"the whole text\" time=\"0\"><failure type=\"{kind}\" \
             message=\"{}\"/></testcase>\n",
            escaped(labelled.path),
            escaped(why)
        ));
    }
    for unread in labelled.ledger.not_examined() {
        tests += 1;
        skipped += 1;
        cases.push_str(&format!(
            "    <testcase classname=\"{}\" name=\"not examined\" time=\"0\"><skipped message=\"{}\"/></testcase>\n",
            escaped(labelled.path),
            escaped(&unread)
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
