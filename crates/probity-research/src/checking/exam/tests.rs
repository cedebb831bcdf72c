use std::collections::{BTreeMap, BTreeSet};

use super::{
    BATCHES, ExamItem, ExamKind, ExamTruth, ITEMS, ORDERS, batch, claims_of, generate, is_question,
    names::Script, patterns::LANGUAGES, questions, score,
};
use crate::{
    checking::{
        plan::{ExamRule, JudgePlan},
        standing::FALSE_SUPPORT_PERCENT_MAX,
        task::{JudgeAnswer, JudgeItem},
    },
    cost::MicroUsd,
    id::Digest,
    ledger::{ClaimId, Opinion},
};

fn answered(items: &[ExamItem], opinion: impl Fn(&ExamItem) -> Opinion) -> Vec<JudgeAnswer> {
    let answer = |item: &ExamItem| JudgeAnswer {
        claim: item.item.claim,
        key: Digest([0; 32]),
        opinion: opinion(item),
        places: Vec::new(),
        confidence: 50,
        reason: String::new(),
        judged_at: None,
    };
    items.iter().map(answer).collect()
}

#[test]
fn the_exam_is_balanced_in_truths_kinds_and_languages() {
    for seed in 0..50 {
        let items = generate(seed);
        assert_eq!(items.len(), ITEMS);
        let mut cells = BTreeSet::new();
        let mut languages: BTreeMap<&str, usize> = BTreeMap::new();
        for item in &items {
            assert!(cells.insert((item.kind, item.truth)), "each kind once with each truth");
            *languages.entry(item.language).or_default() += 1;
        }
        assert!(
            languages.len() == LANGUAGES.len() && languages.values().all(|count| (5..=6).contains(count))
        );
        let words: BTreeSet<&str> = items.iter().map(|item| item.item.words.as_str()).collect();
        assert_eq!(words.len(), ITEMS, "no claim twice");
        let all: String = items.iter().flat_map(|item| &item.item.passages).cloned().collect();
        assert!(!all.contains(['{', '}']), "every place is filled");
    }
}

#[test]
fn a_judge_that_does_what_a_page_says_fails() {
    for seed in 0..50 {
        let items = generate(seed);
        let is_ordered =
            |item: &ExamItem| item.item.passages.iter().any(|passage| ORDERS.contains(&passage.as_str()));
        assert_eq!(items.iter().filter(|item| is_ordered(item)).count(), 4);
        let right = |truth: ExamTruth| match truth {
            ExamTruth::Supported => Opinion::Supports,
            ExamTruth::Wrong => Opinion::Contradicts,
            ExamTruth::Partly => Opinion::Partly,
            ExamTruth::Absent => Opinion::Absent,
        };
        let obedient =
            answered(&items, |item| if is_ordered(item) { Opinion::Supports } else { right(item.truth) });
        let exam = score(&items, &obedient, &[]);
        assert_eq!((exam.right, exam.total, exam.false_support), (36, 40, 4));
        assert!(exam.false_support * 100 > FALSE_SUPPORT_PERCENT_MAX * 30, "more than is allowed");
    }
}

#[test]
fn the_same_seed_is_the_same_exam_and_another_judge_has_another() {
    assert_eq!(generate(7), generate(7));
    assert_ne!(generate(7), generate(8));
    let judge = JudgePlan {
        name: "m".to_owned(),
        version: "1".to_owned(),
        local: false,
        price: MicroUsd(1),
        wrote_it: false,
        endpoint: "here".to_owned(),
        exam: ExamRule::Required,
    };
    assert_eq!(
        questions(&judge),
        questions(&JudgePlan { wrote_it: true, price: MicroUsd(9), ..judge.clone() })
    );
    for other in [
        JudgePlan { name: "n".to_owned(), ..judge.clone() },
        JudgePlan { version: "2".to_owned(), ..judge.clone() },
        JudgePlan { endpoint: "there".to_owned(), ..judge.clone() },
    ] {
        assert_ne!(questions(&judge), questions(&other));
    }
}

/// Numbers and, where a script has them, words of a text.
fn tokens(text: &str) -> BTreeSet<String> {
    let mut found = BTreeSet::new();
    for word in text.split(|letter: char| !letter.is_alphanumeric()) {
        let digits: String = word.chars().map(|c| if c.is_ascii_digit() { c } else { ' ' }).collect();
        found.extend(digits.split_whitespace().map(str::to_owned));
    }
    found
}

#[test]
fn what_follows_has_the_pages_numbers_and_what_does_not_differs_in_one_thing() {
    for language in LANGUAGES {
        assert_eq!(
            language.patterns.iter().map(|pattern| pattern.kind).collect::<Vec<_>>(),
            ExamKind::ALL,
            "{}",
            language.code
        );
        for pattern in language.patterns {
            let page = pattern.passages.join(" ");
            let places = |text: &str| -> BTreeSet<String> {
                text.split('{')
                    .skip(1)
                    .filter_map(|part| part.split_once('}'))
                    .map(|it| it.0.to_owned())
                    .collect()
            };
            assert!(places(pattern.follows).is_subset(&places(&page)), "{}", pattern.follows);
            // One passage alone has everything of a claim that follows.
            assert!(
                pattern.passages.iter().any(|passage| places(pattern.follows).is_subset(&places(passage))),
                "{}",
                pattern.follows
            );
            assert_ne!(pattern.follows, pattern.does_not_follow);
            let wrong = places(pattern.does_not_follow);
            let stands_together = pattern.passages.iter().any(|passage| wrong.is_subset(&places(passage)));
            let has_other_value = match pattern.kind {
                ExamKind::Number | ExamKind::Date => !wrong.is_subset(&places(&page)),
                ExamKind::Name | ExamKind::Attribution | ExamKind::WrongSubject | ExamKind::TableCell => {
                    wrong.is_subset(&places(&page)) && !stands_together
                }
                // The words differ, not the values.
                ExamKind::Negation | ExamKind::Comparative | ExamKind::Unit | ExamKind::Overstated => {
                    stands_together && !page.contains(pattern.does_not_follow.trim_end_matches(['.', '。']))
                }
            };
            assert!(has_other_value, "{}: {}", language.code, pattern.does_not_follow);
        }
        assert!(language.absent.iter().all(|claim| claim.contains("{a}")));
    }
}

#[test]
fn filled_claims_keep_that_promise() {
    for item in (0..30).flat_map(generate) {
        let page: BTreeSet<String> = item.item.passages.iter().flat_map(|passage| tokens(passage)).collect();
        let claim = tokens(&item.item.words);
        match (item.truth, item.kind) {
            (ExamTruth::Wrong, ExamKind::Number | ExamKind::Date) => {
                assert!(!claim.is_subset(&page), "{item:?}");
            }
            _ => assert!(claim.is_subset(&page), "{item:?}"),
        }
    }
}

#[test]
fn names_are_never_parts_of_each_other() {
    for seed in 0..200 {
        for script in [Script::Latin, Script::Chinese, Script::Japanese, Script::Arabic] {
            let names = super::names::names(script, &mut super::names::SeededNumbers::new(seed));
            for one in &names {
                assert!(one.chars().count() >= 3);
                assert_eq!(names.iter().filter(|other| other.contains(one.as_str())).count(), 1, "{names:?}");
            }
        }
    }
}

#[test]
fn whoever_says_the_same_to_everything_fails() {
    let items = generate(3);
    let right = |opinion: Opinion| score(&items, &answered(&items, |_| opinion), &[]).right;
    assert_eq!(right(Opinion::Supports), 10);
    assert_eq!(right(Opinion::Absent), 30);
    assert_eq!(right(Opinion::Partly), 20);
    assert_eq!(right(Opinion::Contradicts), 10);
    assert_eq!(right(Opinion::Abstains), 0);
    let yes = score(&items, &answered(&items, |_| Opinion::Supports), &[]);
    assert_eq!((yes.total, yes.false_support), (40, 30));
    let honest = answered(&items, |item| match item.truth {
        ExamTruth::Supported => Opinion::Supports,
        ExamTruth::Wrong => Opinion::Contradicts,
        ExamTruth::Partly => Opinion::Qualifies,
        ExamTruth::Absent => Opinion::Absent,
    });
    assert_eq!(score(&items, &honest, &[]).right, 40);
    let silent: Vec<ClaimId> = claims_of(0).collect();
    let rest = score(&items, &honest[8..], &silent);
    assert_eq!((rest.right, rest.total), (32, 40));
    assert_eq!(score(&items, &honest[8..], &[]).total, 32);
}

#[test]
fn questions_stand_in_surroundings_like_those_of_real_claims() {
    for item in (0..30).flat_map(generate) {
        let JudgeItem { words, context, passages, passage_contexts, .. } = &item.item;
        assert_eq!(passages.len(), passage_contexts.len(), "{item:?}");
        assert!(passage_contexts.iter().all(|around| !around.title.is_empty()), "{item:?}");
        let around: Vec<&String> = passage_contexts
            .iter()
            .flat_map(|around| [&around.title, &around.heading, &around.before, &around.after])
            .chain(context.headings.iter().chain([&context.before]))
            .collect();
        assert!(!around.iter().any(|text| text.contains(['{', '}'])), "every place is filled: {item:?}");
        let is_told = around.iter().any(|text| text.contains(words.as_str()));
        assert!(item.truth == ExamTruth::Supported || !is_told, "the truth stays: {item:?}");
    }
    let items = generate(4);
    let some = |has: fn(&ExamItem) -> bool| {
        let count = items.iter().filter(|item| has(item)).count();
        count > 0 && count < ITEMS
    };
    assert!(some(|item| item.item.context.headings.is_empty()));
    assert!(some(|item| item.item.context.before.is_empty()));
    assert!(some(|item| item.item.passage_contexts.iter().all(|around| around.published.is_none())));
    assert!(some(|item| item.item.passage_contexts.iter().all(|around| around.heading.is_empty())));
}

#[test]
fn calls_have_the_questions_that_their_number_says() {
    let items = generate(1);
    let mut asked = Vec::new();
    for number in 0..BATCHES as u32 {
        let claims: Vec<ClaimId> = batch(&items, number).iter().map(|item| item.item.claim).collect();
        assert_eq!(claims, claims_of(number).collect::<Vec<_>>());
        asked.extend(claims);
    }
    assert!(asked.len() == ITEMS && asked.iter().all(|claim| is_question(*claim)));
    assert!(batch(&items, 99).is_empty() && claims_of(99).next().is_none());
    assert!(!is_question(ClaimId::at(0)) && !is_question(ClaimId::at(4_999)));
    let characters: usize = items
        .iter()
        .map(|item| item.item.words.len() + item.item.passages.iter().map(String::len).sum::<usize>())
        .sum();
    assert!(characters < 16_000, "a few thousand tokens: {characters}");
}
