//! Claims and their verdicts for people: a table, a closing line, and everything about one claim.

use probity_report::document::DisplayVerdict;
use probity_research::{
    ledger::{
        AttentionGroup, Check, CheckAuthor, Claim, ClaimId, ClaimKind, ClaimVerdict, Ledger, Opinion,
        SourceState, Verdict,
    },
    report::{
        ClaimList, Report,
        claim_list::{ClaimGroup, ListedClaim, SourceSummary},
    },
    status::RunSummary,
    text,
};
use serde_json::{Value, json};

use crate::output::{ConsoleOutput, Tone, markdown::VerdictMark};

/// Longest claim and passage in a line.
const WORDS_MAX: usize = 300;
/// Longest heading and most sources in the line of a claim.
const SECTION_MAX: usize = 60;
const CITED_MAX: usize = 3;
/// Claims printed of a group that needs attention, of one that holds, and sources: a screen or two of each.
const GROUP_MAX: usize = 25;
const HOLDING_MAX: usize = 10;
const SOURCES_MAX: usize = 20;

/// The same symbols as in every form of the report.
pub fn mark(verdict: &Verdict) -> (&'static str, Tone) {
    let tone = match verdict {
        Verdict::Supported | Verdict::Quoted | Verdict::Follows => Tone::Good,
        Verdict::Partly | Verdict::Qualified => Tone::Warning,
        Verdict::Contradicted | Verdict::NotInSource | Verdict::DoesNotFollow => Tone::Bad,
        Verdict::NotChecked { .. } | Verdict::CheckFailed { .. } => Tone::Quiet,
    };
    (DisplayVerdict::from(verdict).symbol(), tone)
}

/// How much of a long list is printed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ListLength<'a> {
    /// Some of each group, and the command that prints all.
    Short {
        whole: &'a str,
    },
    Whole,
}

impl ListLength<'_> {
    fn most(self, group: AttentionGroup) -> usize {
        match (self, group.holds()) {
            (Self::Whole, _) => usize::MAX,
            (Self::Short { .. }, true) => HOLDING_MAX,
            (Self::Short { .. }, false) => GROUP_MAX,
        }
    }

    /// `… 175 more: probity verify report.md --all`
    fn more(self, left: usize, what: &str) -> Option<String> {
        match self {
            Self::Short { whole } if left > 0 => Some(format!("  … {left} more{what}: {whole}")),
            Self::Short { .. } | Self::Whole => None,
        }
    }
}

/// The claims of a text, grouped by what needs attention first, and how each source fares.
pub fn table(output: &ConsoleOutput, report: &Report, ledger: &Ledger, length: ListLength<'_>) -> String {
    let list = ClaimList::of(report, ledger);
    let mut parts: Vec<String> =
        list.groups.iter().map(|group| group_lines(output, &list, group, length)).collect();
    if parts.is_empty() {
        parts.push("there is no claim in this text".to_owned());
    }
    parts.extend(source_lines(output, &list, length));
    let aside = list.aside();
    match length {
        _ if aside.is_empty() => {}
        ListLength::Short { .. } => parts.push(format!("not listed, nothing to check: {aside}")),
        ListLength::Whole => {
            let head = output.style_out(Tone::Strong, &format!("Not counted, nothing to check: {aside}"));
            let rows = list.unlisted.iter().map(|listed| row(output, &list, listed));
            parts.push(std::iter::once(head).chain(rows).collect::<Vec<_>>().join("\n"));
        }
    }
    parts.join("\n\n")
}

fn group_lines(
    output: &ConsoleOutput,
    list: &ClaimList<'_>,
    group: &ClaimGroup<'_>,
    length: ListLength<'_>,
) -> String {
    let most = length.most(group.group);
    let mut lines =
        vec![output.style_out(Tone::Strong, &format!("{} ({})", group.group.heading(), group.claims.len()))];
    lines.extend(group.claims.iter().take(most).map(|listed| row(output, list, listed)));
    lines.extend(length.more(group.claims.len().saturating_sub(most), ""));
    lines.join("\n")
}

fn source_lines(output: &ConsoleOutput, list: &ClaimList<'_>, length: ListLength<'_>) -> Option<String> {
    if list.sources.is_empty() {
        return None;
    }
    let most = match length {
        ListLength::Short { .. } => SOURCES_MAX,
        ListLength::Whole => usize::MAX,
    };
    let mut lines = vec![output.style_out(Tone::Strong, &format!("Sources ({})", list.sources.len()))];
    let told = |source: &SourceSummary| output.fit_out(&format!("  {}", source.line()), 4);
    lines.extend(list.sources.iter().take(most).map(told));
    lines.extend(length.more(list.sources.len().saturating_sub(most), " sources"));
    Some(lines.join("\n"))
}

/// The strictest verdict of each sentence, to be shown where it ends. Sentences that say nothing checkable have none.
pub fn marks(ledger: &Ledger) -> Vec<VerdictMark> {
    let verdict = |id: &ClaimId| {
        let claim = ledger.claim(*id).filter(|claim| claim.is_checkable())?;
        ledger.verdict(claim.id).map(|settled| &settled.verdict)
    };
    let mut marks: Vec<VerdictMark> = ledger
        .sentences
        .iter()
        .filter_map(|sentence| {
            let worst = sentence.claims.iter().filter_map(verdict).min_by_key(|verdict| rank(verdict))?;
            let (sign, tone) = mark(worst);
            Some(VerdictMark { at: sentence.end, sign, tone })
        })
        .collect();
    marks.sort_by_key(|mark| mark.at);
    marks
}

/// The same order as in every form of the report.
fn rank(verdict: &Verdict) -> u8 {
    DisplayVerdict::from(verdict).rank()
}

/// `✗ C3 contradicted, line 12, Results, [2] energy.example: It cost 940 million.`
fn row(output: &ConsoleOutput, list: &ClaimList<'_>, listed: &ListedClaim<'_>) -> String {
    let (claim, settled) = (listed.claim, listed.settled);
    let (mark, tone) = mark(&settled.verdict);
    let head = output.style_out(tone, &format!("{mark} {} {}", claim.id, settled.verdict));
    let mut place = vec![format!("line {}", listed.line)];
    place.extend(listed.section.as_ref().map(|section| text::line(section, SECTION_MAX)));
    place.extend(claim.inference_mark());
    place.extend(listed.sources.iter().take(CITED_MAX).map(|number| {
        let host = list.source(*number).map(|source| source.host.clone()).unwrap_or_default();
        format!("[{number}] {host}").trim_end().to_owned()
    }));
    if let Some(more) = listed.sources.len().checked_sub(CITED_MAX).filter(|more| *more > 0) {
        place.push(format!("{more} more sources"));
    }
    let place = output.style_out(Tone::Quiet, &place.join(", "));
    let reason = match (settled.further_reason(), listed.not_read.as_str()) {
        ("", "") => String::new(),
        ("", reason) | (reason, _) => format!("\n    {}", text::line(reason, WORDS_MAX)),
    };
    output.fit_out(&format!("{head}, {place}: {}{reason}", text::line(&claim.words, WORDS_MAX)), 4)
}

/// `12 claims: 7 supported, 5 not checked · judged by m · $0.01`
pub fn summary_line(
    output: &ConsoleOutput,
    summary: &RunSummary,
    report: &Report,
    ledger: &Ledger,
) -> String {
    let outcome = report.verification();
    let tone = if outcome.verified { Tone::Good } else { Tone::Quiet };
    let judge = outcome.judge_in_words();
    let line = ledger.tally().line();
    let line = match unchecked_reasons(ledger) {
        why if why.is_empty() => line,
        why => line.replace("not checked", &format!("not checked ({why})")),
    };
    format!(
        "{}: {} · {line} · {judge} · {}",
        output.style_err(tone, outcome.word()),
        outcome.reason,
        summary.cost
    )
}

/// Why claims were not checked, most frequent first: `4 unreachable, 2 cite nothing`.
fn unchecked_reasons(ledger: &Ledger) -> String {
    let mut counts: Vec<(u32, &str)> = Vec::new();
    let listed = ledger.settled.iter().zip(ledger.attention()).filter(|(_, group)| group.is_some());
    // As the tally beside it, which counts inferences apart.
    let is_inference = |settled: &ClaimVerdict| {
        ledger.claims.get(settled.claim.place()).is_some_and(|claim| claim.kind == ClaimKind::Inference)
    };
    for (settled, _) in listed.filter(|(settled, _)| !is_inference(settled)) {
        let Verdict::NotChecked { why } = settled.verdict else { continue };
        match counts.iter_mut().find(|(_, word)| *word == why.as_str()) {
            Some((count, _)) => *count += 1,
            None => counts.push((1, why.as_str())),
        }
    }
    counts.sort_by_key(|(count, _)| std::cmp::Reverse(*count));
    let told = |(count, word): &(u32, &str)| match (*count, word.strip_prefix("cites ")) {
        (2.., Some(what)) => format!("{count} cite {what}"),
        (_, _) => format!("{count} {word}"),
    };
    counts.iter().map(told).collect::<Vec<_>>().join(", ")
}

/// One claim with all its checks.
pub struct ClaimExplanation<'a> {
    ledger: &'a Ledger,
    claim: &'a Claim,
    settled: &'a ClaimVerdict,
}

impl<'a> ClaimExplanation<'a> {
    pub fn of(ledger: &'a Ledger, id: ClaimId) -> Option<Self> {
        Some(Self { ledger, claim: ledger.claim(id)?, settled: ledger.verdict(id)? })
    }

    pub fn text(&self, output: &ConsoleOutput) -> String {
        let (mark, tone) = mark(&self.settled.verdict);
        let mut lines = vec![
            output.style_out(tone, &format!("{mark} {} {}", self.claim.id, self.settled.verdict)),
            format!("  {}", text::line(&self.claim.words, 1_000)),
        ];
        lines.extend(self.claim.inference_mark().map(|mark| format!("  {mark}")));
        for premise in self.claim.rests_on.iter().filter_map(|id| self.ledger.claim(*id)) {
            lines.push(format!("    {} {}", premise.id, text::line(&premise.words, WORDS_MAX)));
        }
        for place in &self.claim.cites {
            lines.push(format!("  cites {}", self.source(*place)));
        }
        if self.claim.cites.is_empty() {
            lines.push("  cites nothing".to_owned());
        }
        for check in self.ledger.checks_of(self.claim.id) {
            lines.push(format!("  {}", self.check_detail(check)));
        }
        // What no check says by itself: for example that its judge did not pass.
        let reason = self.settled.further_reason();
        let is_said = |check: &Check| check.reason == reason;
        if !reason.is_empty() && !self.ledger.checks_of(self.claim.id).any(is_said) {
            lines.push(format!("  {}: {}", self.settled.verdict, text::line(reason, WORDS_MAX)));
        }
        for (conflict, one, other) in self.conflicts() {
            lines.push(format!(
                "  sources disagree: {}\n    “{one}”\n    “{other}”",
                text::line(conflict, WORDS_MAX)
            ));
        }
        if let Some(derived) = &self.claim.derived {
            let computed = derived.computed.as_deref().unwrap_or("not computable");
            lines.push(format!(
                "  computed again: {} = {computed} (stated: {})",
                derived.formula, derived.stated
            ));
        }
        lines.iter().map(|line| output.fit_out(line, 4)).collect::<Vec<_>>().join("\n")
    }

    fn conflicts(&self) -> impl Iterator<Item = (&str, String, String)> {
        let passage = |place: u32| {
            let found = usize::try_from(place).ok().and_then(|place| self.ledger.passages.get(place));
            found.map(|passage| text::line(&passage.text, WORDS_MAX)).unwrap_or_default()
        };
        let of_this = self.ledger.conflicts.iter().filter(|conflict| conflict.claim == self.claim.id);
        of_this
            .map(move |conflict| (conflict.about.as_str(), passage(conflict.left), passage(conflict.right)))
    }

    fn check_detail(&self, check: &Check) -> String {
        let by = match &check.by {
            CheckAuthor::Rules { version } => version.clone(),
            CheckAuthor::Model { name, version } => format!("{name}, {version}"),
        };
        let place = match (check.source, check.span) {
            (Some(source), Some((start, end))) => {
                format!(" at bytes {start}-{end} of {}", self.source(source))
            }
            (Some(source), None) => format!(" on {}", self.source(source)),
            _ => String::new(),
        };
        let words = |value: Value| value.as_str().unwrap_or_default().replace('-', " ");
        let aspect = words(serde_json::to_value(check.aspect).unwrap_or_default());
        let opinion = words(serde_json::to_value(check.opinion()).unwrap_or_default());
        let reason = text::line(&check.reason, WORDS_MAX);
        // As the line above the claims has it: whoever gave no answer judged nothing.
        let is_asked_in_vain = matches!(check.by, CheckAuthor::Model { .. })
            && check.opinion == Opinion::Abstains
            && check.confidence == 0;
        if is_asked_in_vain {
            return format!("{aspect}: not judged by {by}\n    {reason}");
        }
        format!(
            "{aspect}: {opinion}, {} % sure, by {by}{place}{}",
            check.confidence,
            match reason.is_empty() {
                true => String::new(),
                false => format!("\n    {reason}"),
            }
        )
    }

    fn source(&self, place: u32) -> String {
        let Some(source) = usize::try_from(place).ok().and_then(|place| self.ledger.sources.get(place))
        else {
            return "nothing".to_owned();
        };
        let address = text::line(&source.url, WORDS_MAX);
        match &source.state {
            SourceState::Kept { snapshot, fetched_at, .. } => {
                let hash: String = snapshot.to_string().chars().take(12).collect();
                format!("{address} (fetched {}, {hash})", fetched_at.date())
            }
            SourceState::Unreachable { why, .. } => format!("{address} (not read: {})", text::line(why, 200)),
        }
    }

    pub fn document(&self) -> Value {
        let checks: Vec<&Check> = self.ledger.checks_of(self.claim.id).collect();
        let sources: Vec<Value> = self
            .claim
            .cites
            .iter()
            .filter_map(|place| self.ledger.sources.get(usize::try_from(*place).ok()?))
            .filter_map(|source| serde_json::to_value(source).ok())
            .collect();
        json!({
            "schema_version": crate::wire::SCHEMA_VERSION,
            "claim": self.claim,
            "settled": self.settled,
            "verdict": self.settled.verdict.to_string(),
            "checks": checks,
            "sources": sources,
        })
    }
}
