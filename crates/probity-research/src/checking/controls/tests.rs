use super::{ControlTally, is_passed, mixed, of, truth};
use crate::{
    checking::{
        exam::plain_item,
        task::{JudgeAnswer, JudgeItem},
    },
    id::Digest,
    ledger::{ClaimId, Opinion},
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
                    super::pieces(passage).any(|sentence| letters(sentence) == letters(&control.words))
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
    let item = |passage: &str| items(&[passage]).remove(0);
    let number = |sentence: &str| super::other_number(sentence, &item(sentence));
    assert_eq!(number("It cost 4.2 million pounds.").as_deref(), Some("It cost 8.2 million pounds."));
    assert_eq!(number("It opened in 1932 with a feast.").as_deref(), Some("It opened in 1972 with a feast."));
    assert_eq!(number("该水库于1987年建成。").as_deref(), Some("该水库于1957年建成。"));
    assert_eq!(number("The COVID-19 wards of B-52 were full [3]."), None);
    let denied = |sentence: &str| super::denied(sentence, &item(sentence));
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
