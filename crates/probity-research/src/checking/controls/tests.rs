use super::{ControlTally, is_passed, mixed, of, truth};
use crate::{
    checking::{
        exam::plain_item,
        task::{JudgeAnswer, JudgeItem},
    },
    id::Digest,
    ledger::{ClaimContext, ClaimId, Opinion, PassageContext},
};

const BRIDGE: &str = "In 1932, the harbour bridge was opened with six lanes. It cost 4.2 million pounds.";
const ORCHARD: &str =
    "The northern orchards yield about 350 tonnes of pears every autumn. Picking begins in August.";
const CHINESE: &str = "该水库于1987年建成，蓄水量为三亿立方米，是该地区最大的水库之一。";

fn items(passages: &[&str]) -> Vec<JudgeItem> {
    let item = |(place, passage): (usize, &&str)| {
        plain_item(ClaimId::at(place), format!("Claim {place}."), vec![(*passage).to_owned()])
    };
    passages.iter().enumerate().map(item).collect()
}

fn answer(claim: ClaimId, opinion: Opinion) -> JudgeAnswer {
    JudgeAnswer {
        claim,
        key: Digest([0; 32]),
        opinion,
        places: Vec::new(),
        confidence: 90,
        reason: String::new(),
        judged_at: None,
    }
}

#[test]
fn one_or_two_known_claims_go_with_a_call_the_same_every_time() {
    let few = items(&[BRIDGE, ORCHARD]);
    let many = items(&[BRIDGE, ORCHARD, BRIDGE, ORCHARD, CHINESE, BRIDGE, ORCHARD, BRIDGE]);
    let truths = |items: &[JudgeItem]| -> Vec<Option<bool>> {
        of(items).iter().map(|item| truth(item.claim)).collect()
    };
    assert_eq!(truths(&few), [Some(false)]);
    assert_eq!(truths(&many), [Some(true), Some(false)]);
    assert_eq!(mixed(many.clone()), mixed(many.clone()));
    let all = mixed(many.clone());
    assert_eq!(all.len(), 10);
    let of_text: Vec<JudgeItem> = all.into_iter().filter(|item| truth(item.claim).is_none()).collect();
    assert_eq!(of_text, many, "the claims of the text stay as they are");
    assert!(of(&[]).is_empty() && of(&items(&["short", "no sentence here"])).is_empty());
}

#[test]
fn what_follows_is_on_the_page_and_what_does_not_is_not() {
    for passages in [
        [BRIDGE, ORCHARD, BRIDGE, ORCHARD],
        [ORCHARD, ORCHARD, ORCHARD, BRIDGE],
        [CHINESE, CHINESE, CHINESE, CHINESE],
        [BRIDGE, BRIDGE, BRIDGE, BRIDGE],
    ] {
        for turn in 0..8 {
            let mut batch = items(&passages);
            batch.iter_mut().for_each(|item| item.words.push_str(&turn.to_string()));
            for control in of(&batch) {
                let there = control.passages.join(" ");
                let letters = |text: &str| -> Vec<char> {
                    let mut letters: Vec<char> =
                        text.to_lowercase().chars().filter(|letter| letter.is_alphanumeric()).collect();
                    letters.sort_unstable();
                    letters
                };
                let same_letters = passages.iter().any(|passage| {
                    super::sentences::pieces(passage)
                        .any(|sentence| letters(sentence) == letters(&control.words))
                });
                match truth(control.claim).unwrap() {
                    true => assert!(same_letters, "{control:?}"),
                    false => assert!(!there.contains(&control.words), "{control:?}"),
                }
            }
        }
    }
}

#[test]
fn sentences_are_changed_in_one_thing() {
    let number = |sentence: &str| super::other_number(sentence, sentence);
    assert_eq!(number("It cost 4.2 million pounds.").as_deref(), Some("It cost 8.2 million pounds."));
    assert_eq!(number("It opened in 1932 with a feast.").as_deref(), Some("It opened in 1972 with a feast."));
    assert_eq!(number("该水库于1987年建成。").as_deref(), Some("该水库于1957年建成。"));
    assert_eq!(number("The COVID-19 wards of B-52 were full [3]."), None);
    let denied = |sentence: &str| super::denied(sentence, sentence);
    assert_eq!(
        denied("The bridge was opened by the king.").as_deref(),
        Some("The bridge was not opened by the king.")
    );
    assert_eq!(denied("The bridge was never opened by the king."), None);
    assert_eq!(denied("Die Brücke was die Stadt braucht."), None);
    assert_eq!(
        super::reordered("In 2024, revenue rose 12 % to 5 bn.").as_deref(),
        Some("Revenue rose 12 % to 5 bn in 2024.")
    );
    assert_eq!(super::reordered("Paris, the capital, is large."), None);
}

#[test]
fn sentences_are_shortened_where_what_is_left_says_something() {
    let shortened = super::sentences::shortened;
    assert_eq!(
        shortened("It was opened on 4 May 1931 and is 412 metres long.").as_deref(),
        Some("It was opened on 4 May 1931.")
    );
    assert_eq!(
        shortened("该水库于1987年建成，蓄水量为三亿立方米。").as_deref(),
        Some("该水库于1987年建成。")
    );
    assert_eq!(shortened("On the fourth of May in 1931, the bridge was opened."), None, "no sentence");
    assert_eq!(shortened("The bridge is 412 metres long."), None);
    assert_eq!(shortened("The bridge (built by the town, as ever) is long."), None, "an open bracket");
}

/// Sentences that follow each other on one page, one passage each, with their neighbours around them.
fn page(title: &str, heading: &str, sentences: &[&str]) -> Vec<JudgeItem> {
    let at = |place: Option<usize>| {
        place
            .and_then(|place| sentences.get(place))
            .map(|sentence| (*sentence).to_owned())
            .unwrap_or_default()
    };
    let item = |(place, sentence): (usize, &&str)| JudgeItem {
        context: ClaimContext { headings: vec![heading.to_owned()], ..ClaimContext::default() },
        passage_contexts: vec![PassageContext {
            title: title.to_owned(),
            before: at(place.checked_sub(1)),
            after: at(Some(place + 1)),
            ..PassageContext::default()
        }],
        ..plain_item(ClaimId::at(place), format!("Claim {place} of {title}."), vec![(*sentence).to_owned()])
    };
    sentences.iter().enumerate().map(item).collect()
}

const DORRIN: [&str; 3] = [
    "The Dorrin Bridge crosses the river Osk.",
    "It was opened on 4 May 1931 and is 412 metres long.",
    "Its architect was Mara Velten, who also designed the town hall of Pell.",
];

#[test]
fn nothing_around_a_false_claim_says_it() {
    for turn in 0..60 {
        let mut batch = page("Dorrin Bridge", "Bridges", &DORRIN);
        batch.iter_mut().for_each(|item| item.words.push_str(&turn.to_string()));
        let controls = of(&batch);
        assert_eq!(controls.len(), 1, "a short page has its control too");
        for control in controls {
            assert_eq!(truth(control.claim), Some(false));
            let context = &control.passage_contexts[0];
            let shown = format!("{} {} {}", control.passages.join(" "), context.before, context.after);
            assert!(!shown.contains(&control.words), "{control:?}");
            assert!(!DORRIN.contains(&control.words.as_str()), "true on this page: {control:?}");
        }
    }
}

#[test]
fn a_sentence_of_another_place_is_absent_there_for_certain() {
    let lengths = ["The Dorrin Bridge has carried 5200 waggons every day since the spring of 1931."];
    let architect = ["Mara Velten designed the station as well as the town hall."];
    let mut batch = page("Dorrin Bridge", "Bridges", &lengths);
    batch.extend(page("Dorrin Bridge", "People", &architect));
    batch[1].claim = ClaimId::at(1);
    let absent = super::of_another_place(&batch[0], &batch).unwrap();
    assert_eq!((absent.words.as_str(), &absent.passages), (lengths[0], &batch[1].passages));
    // Next to the passage stands the same, in other words too: then it is not made at all.
    batch[1].passage_contexts[0].before = "From 1931 on it carried 5200 waggons a day.".to_owned();
    assert_eq!(super::of_another_place(&batch[0], &batch), None);
    let orchards = page("Orchards", "Fruit", &[ORCHARD]);
    assert_eq!(
        super::of_another_place(&batch[1], &orchards),
        None,
        "another language may say what has no figure"
    );
}

#[test]
fn false_claims_have_the_passages_of_others_only_where_others_share_them() {
    let mut item = page("Dorrin Bridge", "Bridges", &DORRIN[1..2]).remove(0);
    item.passage_contexts[0].before = DORRIN[0].to_owned();
    let ferries = ["Ferries crossed it before.", "They left every hour."].map(str::to_owned);
    item.passages.extend(ferries);
    item.passage_contexts = vec![item.passage_contexts.remove(0); 3];
    let passages = |batch: &[JudgeItem]| of(batch).remove(0).passages;
    assert_eq!(passages(std::slice::from_ref(&item)), item.passages[..2]);
    let mut shared = item.clone();
    (shared.claim, shared.words) = (ClaimId::at(1), "Another claim.".to_owned());
    assert_eq!(passages(&[item.clone(), shared]), item.passages, "a short page is shown whole");
}

#[test]
fn known_claims_have_the_form_of_the_others() {
    for turn in 0..60 {
        let mut batch = page("Dorrin Bridge", "Bridges", &DORRIN);
        batch.extend(page("Orchards", "Fruit", &[ORCHARD]));
        batch.iter_mut().for_each(|item| item.words.push_str(&turn.to_string()));
        let known = of(&batch);
        assert_eq!(known.len(), 2);
        for control in known {
            assert!(!control.context.headings.is_empty(), "{control:?}");
            let is_pronoun = control.words.starts_with("It");
            assert_eq!(!control.context.before.is_empty(), is_pronoun, "{control:?}");
            assert_eq!(control.passages.len(), control.passage_contexts.len());
            assert!(control.passage_contexts.iter().all(|context| !context.title.is_empty()));
        }
    }
}

#[test]
fn a_false_claim_is_told_in_other_words_where_that_can_be() {
    let batch = page("Dorrin Bridge", "Bridges", &DORRIN);
    let number = super::changed(&batch[1], super::other_number).unwrap();
    assert_eq!(number.words, "It was opened on 8 May 1931.");
    assert_eq!(number.context.before, DORRIN[0]);
    let mut around = batch[1].clone();
    around.passage_contexts[0].after = "On 8 May the king came.".to_owned();
    let number = super::changed(&around, super::other_number);
    assert_eq!(number, None, "a figure that stands beside the passage is not new");
    let batch = page("Wells", "Water", &["The wells of the town are dry in the summer."]);
    assert!(super::changed(&batch[0], super::denied).is_some());
    for doubtful in [
        "Some of the wells of the town are dry in the summer.",
        "The wells of the town are often dry in summer.",
    ] {
        let batch = page("Wells", "Water", &[doubtful]);
        assert_eq!(super::changed(&batch[0], super::denied), None, "{doubtful}");
    }
    let mut denied = batch.clone();
    denied[0].passage_contexts[0].after = "They are not dry in spring.".to_owned();
    assert_eq!(super::changed(&denied[0], super::denied), None, "something is denied there already");
}

#[test]
fn answers_are_counted_by_what_is_true() {
    let (follows, wrong) = (ClaimId::at(2_000_000_004), ClaimId::at(3_000_000_004));
    let mut tally = ControlTally::default();
    for (claim, opinion) in [
        (follows, Opinion::Supports),
        (follows, Opinion::Partly),
        (wrong, Opinion::Contradicts),
        (wrong, Opinion::Supports),
        (ClaimId::at(3), Opinion::Supports),
    ] {
        tally.add(&answer(claim, opinion));
    }
    assert_eq!((tally.right(), tally.total(), tally.passed()), (2, 4, 1));
    assert!(is_passed(&answer(wrong, Opinion::Supports)) && !is_passed(&answer(wrong, Opinion::Abstains)));
    assert!(!is_passed(&answer(follows, Opinion::Supports)) && truth(ClaimId::at(4_999)).is_none());
    let text = serde_json::to_string(&wrong).unwrap();
    assert_eq!(serde_json::from_str::<ClaimId>(&text).unwrap(), wrong, "it is read as it was written");
}
