use std::sync::Arc;

use probity_types::{
    Digest,
    checking::task::{CitedPage, ExamineRequest, JudgeLocation, StoredPage},
    ledger::{CLAIMS_MAX, CheckAspect, Ledger, Opinion},
    report::Report,
    time::Moment,
    web::{
        cluster::Fingerprint,
        page::{Extract, MediaKind, PageRecord, Provenance},
        task::PageMetadata,
    },
};

use super::examine;

const ACME: &str = "Acme Corporation published its annual report for 2024 on 3 March 2025.\n\
    Revenue rose 12 % to 5.4 billion dollars in 2024, driven by sales of pumps in Norway.\n\
    The chief executive, Maria Lindqvist, said that the company would open a plant in Bergen.\n\
    The number of employees did not change and stayed at 1,200.";

pub(super) fn page(url: &str, text: &str) -> CitedPage {
    let extract = Extract { text: text.to_owned(), ..Extract::default() };
    let kept = PageMetadata {
        record: PageRecord {
            asked_url: url.to_owned(),
            final_url: url.to_owned(),
            redirects: Vec::new(),
            address: None,
            fetched_at: Moment(5),
            status: 200,
            headers: Vec::new(),
            media: MediaKind::Text,
            bytes: 10,
            provenance: Provenance::Direct,
            revalidated: false,
            overridden: false,
        },
        snapshot: Digest([1; 32]),
        extract: Digest([2; 32]),
        title: "Acme".to_owned(),
        published: Some("2025-03-03".to_owned()),
        language: None,
        fingerprint: Fingerprint::of(text),
        signs: Vec::new(),
        links: Vec::new(),
    };
    let stored = StoredPage { metadata: kept, extract: Arc::from(extract.encode()), quoted: Vec::new() };
    CitedPage { url: url.to_owned(), page: Ok(stored) }
}

pub(super) fn ledger(text: &str, pages: Vec<CitedPage>, judging: JudgeLocation) -> Ledger {
    ledger_up_to(text, pages, judging, CLAIMS_MAX)
}

fn ledger_up_to(text: &str, pages: Vec<CitedPage>, judging: JudgeLocation, claims_max: usize) -> Ledger {
    let report = Report { text: text.to_owned(), ..Report::default() };
    let at = Moment(1_794_700_000_000);
    let ask = ExamineRequest { report, pages, at, judging, given: true, claims_max };
    let mut ledger = *examine(&ask).ledger.unwrap();
    ledger.compute_verdicts(None);
    ledger
}

/// The verdict of the only sentence, with the page at `https://a.example/r`.
#[track_caller]
fn check(sentence: &str, expected: &str) {
    let text = format!("{sentence} [1](https://a.example/r)");
    let ledger = ledger(&text, vec![page("https://a.example/r", ACME)], JudgeLocation::Absent);
    let verdicts: Vec<String> = ledger.settled.iter().map(|settled| settled.verdict.to_string()).collect();
    assert_eq!(verdicts, [expected], "{sentence}: {:#?}", ledger.checks);
}

#[test]
fn rules_refute_and_never_support() {
    check("Acme's revenue rose 12 % in 2024.", "not checked: no judge");
    check("Revenue fell 12 % to 5.4 billion dollars in 2024.", "contradicted");
    check("Maria Lindqvist said: \"the company would open a plant in Bergen\".", "quoted");
    check("Maria Lindqvist said: \"the company would close a plant in Bergen\".", "contradicted");
    check("Revenue rose 12 % to 5.4 billion dollars in 2024, driven by sales of pumps in Norway.", "quoted");
}

#[test]
fn every_sentence_has_a_verdict_and_every_span_lies_in_the_page() {
    let text = "# Acme\n\nHow did Acme do? Acme's revenue rose 12 % in 2024 [1](https://a.example/r). \
        In summary, it was a good year. It has 40 plants. See [2](https://gone.example/x) for the loss of 9 %.\n";
    let gone = CitedPage { url: "https://gone.example/x".to_owned(), page: Err("404".to_owned()) };
    let ledger = ledger(text, vec![page("https://a.example/r", ACME), gone], JudgeLocation::Remote);
    assert_eq!(ledger.settled.len(), ledger.claims.len());
    let said: Vec<String> = ledger
        .claims
        .iter()
        .zip(&ledger.settled)
        .map(|(claim, settled)| format!("{} -> {}", claim.words, settled.verdict))
        .collect();
    assert!(
        said.iter().any(|line| line.starts_with("How did Acme do") && line.ends_with("a question")),
        "{said:#?}"
    );
    assert!(said.iter().any(|line| line.contains("40 plants") && line.ends_with("unreachable")), "{said:#?}");
    assert!(said.iter().any(|line| line.contains("9 %") && line.ends_with("unreachable")), "{said:#?}");
    assert_eq!(ledger.questions.len(), 1, "only what can be judged is asked");
    for passage in &ledger.passages {
        assert_eq!(ACME.get(passage.start..passage.end), Some(passage.text.as_str()));
    }
    for check in &ledger.checks {
        assert!(check.opinion != Opinion::Supports && check.aspect != CheckAspect::Meaning);
        assert!(check.span.is_none_or(|(start, end)| ACME.get(start..end).is_some()));
    }
    assert!(!ledger.verification.unwrap().verified);
}

#[test]
fn files_of_the_user_are_not_shown_to_a_judge_elsewhere() {
    let text = "Acme's revenue rose 12 % in 2024 [1](https://a.example/r).";
    let local = || {
        let mut own = page("https://a.example/r", ACME);
        if let Ok(stored) = &mut own.page {
            stored.metadata.record.provenance = Provenance::LocalFile;
        }
        vec![own]
    };
    assert_eq!(ledger(text, local(), JudgeLocation::Local).questions.len(), 1);
    assert_eq!(ledger(text, local(), JudgeLocation::Remote).questions.len(), 0);
}

#[test]
fn sources_that_disagree_are_shown_side_by_side() {
    let other = ACME.replace("12 %", "14 %").replace("driven by", "mostly from");
    let text =
        "Revenue rose 12 % to 5.4 billion dollars in 2024 [1](https://a.example/r) [2](https://b.example/r).";
    let pages = vec![page("https://a.example/r", ACME), page("https://b.example/r", &other)];
    let ledger = ledger(text, pages, JudgeLocation::Remote);
    assert_eq!(ledger.conflicts.len(), 1, "{:#?}", ledger.checks);
    assert!(ledger.conflicts[0].same_origin, "a copy with another number");
}

#[test]
fn derived_figures_are_computed_again_from_the_claims_they_name() {
    let text = "Acme sold 120 pumps in May [1](https://a.example/r). It sold 80 pumps in June [1](https://a.example/r). \
        Together that is 120 + 80 = 200 pumps. That would be 120 + 80 = 250 pumps.";
    let ledger = ledger(text, vec![page("https://a.example/r", ACME)], JudgeLocation::Absent);
    let derived: Vec<_> = ledger.claims.iter().filter_map(|claim| claim.derived.as_ref()).collect();
    assert_eq!(derived.iter().map(|derived| derived.holds).collect::<Vec<_>>(), [Some(true), Some(false)]);
    assert!(derived[0].inputs.iter().all(|input| input.claim.is_some()), "{derived:?}");
    let last = ledger.settled.last().unwrap();
    assert_eq!(
        (last.verdict.to_string().as_str(), last.aspect),
        ("contradicted", Some(CheckAspect::Arithmetic))
    );
}

#[test]
fn claims_of_one_report_that_disagree_are_contested() {
    let text = "The harbour bridge of Norwick is 412 metres long [1](https://a.example/r). \
        The harbour bridge of Norwick is 398 metres long [2](https://b.example/r). It was painted green [1](https://a.example/r).";
    let pages = vec![
        page(
            "https://a.example/r",
            "The harbour bridge of Norwick is 412 metres long. It was painted green.",
        ),
        page("https://b.example/r", "Engineers say the harbour bridge of Norwick is 398 metres long."),
    ];
    let ledger = ledger(text, pages, JudgeLocation::Remote);
    let contested: Vec<String> = ledger.conflicts.iter().map(|conflict| conflict.claim.to_string()).collect();
    assert_eq!(contested, ["C1", "C2"], "{:#?}", ledger.conflicts);
    assert!(!ledger.conflicts[0].same_origin);
}

#[test]
fn rival_figures_are_contested_whatever_else_their_sentences_say() {
    let low =
        "The harbour bridge of Norwick is 398 metres long with its ramps, and trams use two of its lanes.";
    let high = "The harbour bridge of Norwick is 412 metres long, measured from quay to quay with its ramps.";
    let later = "In 1990 the harbour bridge of Norwick is 420 metres long, measured from quay to quay with its ramps.";
    let wide = "The harbour bridge of Norwick is 31 metres wide, measured from quay to quay with its ramps.";
    let contested = |one: &str, other: &str| {
        let cited = |text: &str, site: &str| text.replace('.', &format!(" [1](https://{site}.example/r)."));
        let text = format!("{} {}", cited(one, "a"), cited(other, "b"));
        let pages = vec![page("https://a.example/r", one), page("https://b.example/r", other)];
        ledger(&text, pages, JudgeLocation::Remote).conflicts
    };
    let found = contested(low, high);
    assert_eq!(found.len(), 2, "{found:#?}");
    assert_eq!(found[0].about, "one says 398 metres, the other 412 metres");
    assert_eq!(contested(low, later), [], "another year, another length");
    assert_eq!(contested(low, wide), [], "another measure");
}

#[test]
fn a_citation_that_is_taken_over_refutes_nothing() {
    let text = "Revenue fell 12 % to 5.4 billion dollars in 2024. The number of employees did not change and stayed at \
        1,200 [1](https://a.example/r).";
    let ledger = ledger(text, vec![page("https://a.example/r", ACME)], JudgeLocation::Remote);
    assert_eq!(ledger.claims[0].inherited, Some(probity_types::ledger::InheritedCitation::Paragraph));
    assert_eq!(ledger.settled[0].verdict.to_string(), "not checked: no judge", "{:#?}", ledger.checks);
    assert!(ledger.settled[0].reason.starts_with("it cites nothing itself"), "{}", ledger.settled[0].reason);
    assert!(
        ledger.questions.iter().any(|question| question.claim == ledger.claims[0].id),
        "a judge may support it"
    );
    assert!(ledger.claims[0].load_bearing && ledger.claims[1].inherited.is_none());
}

#[test]
fn passages_carry_their_page() {
    let text = "## Acme in 2024\n\nAcme grew. Its revenue rose 12 % [1](https://a.example/r).";
    let ledger = ledger(text, vec![page("https://a.example/r", ACME)], JudgeLocation::Remote);
    let claim = ledger.claims.iter().find(|claim| claim.words.starts_with("Its")).unwrap();
    assert_eq!(
        (claim.context.headings.join(""), claim.context.before.as_str()),
        ("Acme in 2024".to_owned(), "Acme grew.")
    );
    let context = &ledger.passages[0].context;
    assert_eq!((context.title.as_str(), context.published.as_deref()), ("Acme", Some("2025-03-03")));
    assert!(!context.before.is_empty() || !context.after.is_empty());
}

#[test]
fn a_row_that_repeats_the_text_is_the_same_claim() {
    let text = "The ferry Alma carries 40 cars [1](https://a.example/r).\n\n| Ferry | Cars |\n|---|---|\n\
        | Alma | 40 |\n| Berta | 60 |\n";
    let ledger = ledger(text, vec![page("https://a.example/r", ACME)], JudgeLocation::Absent);
    let repeats: Vec<Option<String>> =
        ledger.claims.iter().map(|claim| claim.repeats.map(|id| id.to_string())).collect();
    assert_eq!(repeats, [None, Some("C1".to_owned()), None], "{:#?}", ledger.claims);
}

#[test]
fn what_lies_beyond_a_limit_is_counted_and_never_called_unreachable() {
    let text = "It has 40 plants.\n\nIt has 50 ships. It has 60 cars.\n\nIt has 70 pumps.\n";
    let cut = ledger_up_to(text, Vec::new(), JudgeLocation::Absent, 2);
    assert_eq!(cut.claims.len(), 2);
    assert_eq!(
        cut.unread,
        ["2 claims from line 3 on, beyond the limit of 2 claims; `checks.claims_max` raises it"]
    );
    let why = format!("{}1 pages; `checks.pages_max` raises it", probity_types::ledger::source::BEYOND_LIMIT);
    let beyond = CitedPage { url: "https://b.example/x".to_owned(), page: Err(why) };
    let late = CitedPage {
        url: "https://c.example/x".to_owned(),
        page: Err(probity_types::ledger::source::NO_TIME_TO_FETCH.to_owned()),
    };
    let text = "It has 40 plants [1](https://b.example/x). It has 50 ships [2](https://c.example/x).\n";
    let said = ledger(text, vec![beyond, late], JudgeLocation::Absent);
    let verdicts: Vec<String> = said.settled.iter().map(|settled| settled.verdict.to_string()).collect();
    assert_eq!(verdicts, ["not checked: beyond a limit", "not checked: deadline"]);
}

#[test]
fn a_quotation_in_another_language_than_its_page_is_left_to_the_judge() {
    let found = |title: &str, page_text: &str| {
        let text = format!("{title} [1](https://a.example/r)");
        let ledger = ledger(&text, vec![page("https://a.example/r", page_text)], JudgeLocation::Remote);
        let of_quotation = ledger.checks.iter().find(|check| check.aspect == CheckAspect::Quotation);
        (of_quotation.map(|check| check.opinion), ledger.questions.len())
    };
    let russian = "Лена Орт написала в 1931 году книгу «Зеркало глаз» и преподавала в Бергене.";
    let german = "Lena Orth schrieb 1931 das Buch \"Das gute Auge\" und lehrte in Bergen.";
    let in_german = "Lena Orth schrieb 1931 das Buch \"Spiegel der Augen\".";
    let in_english = "Lena Orth wrote the book \"Mirror of the Eyes\" in 1931.";
    assert_eq!(found(in_german, russian), (Some(Opinion::Doubts), 1));
    assert_eq!(found(in_english, russian), (Some(Opinion::Doubts), 1));
    assert_eq!(found(in_german, german), (Some(Opinion::Absent), 0));
}

#[test]
fn redirects_that_were_not_followed_are_no_common_origin() {
    let redirect =
        |name: &str| format!("https://vertexaisearch.cloud.google.com/grounding-api-redirect/{name}");
    let text = format!("It rose 5 % [1]({}). It fell 6 % [2]({}).", redirect("A"), redirect("B"));
    let gone = |name: &str| CitedPage { url: redirect(name), page: Err("no answer".to_owned()) };
    let ledger = ledger(&text, vec![gone("A"), gone("B")], JudgeLocation::Absent);
    let origins: Vec<u32> = ledger.sources.iter().map(|source| source.origin).collect();
    assert_eq!(origins, [0, 1]);
}
