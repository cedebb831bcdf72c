//! Questions to a judge: their keys, and which parts of an answer are accepted.

use super::{
    JudgeCourse, controls, exam,
    plan::JudgePlan,
    task::{CheckTask, JudgeAnswer, JudgeItem, JudgeReply},
};
use crate::{
    id::Digest,
    ledger::{Claim, ClaimId, ClaimKind, JudgeQuestion, Ledger, Opinion},
    text,
};

/// Quotations taken from one answer.
const QUOTATIONS_MAX: usize = 3;
/// Shorter ones are on every page and prove nothing.
const QUOTATION_CHARACTERS_MIN: usize = 8;
const REASON_CHARACTERS_MAX: usize = 200;
/// Note where a judge quotes what is not there: its answer then counts as nothing.
pub const INVENTED: &str = "the judge quoted words that do not stand on the page";
/// The same where they stand there and are too few to prove anything.
pub const TOO_SHORT: &str = "the judge quoted words that stand on the page and are too few to prove anything";
/// The same where they stand only beside the passages: the title, a heading, a sentence next to one.
pub const BESIDE: &str = "the judge quoted only the title or what stands beside the passages";

pub fn item(ledger: &Ledger, question: &JudgeQuestion) -> Option<JudgeItem> {
    let passages =
        question.passages.iter().filter_map(|place| ledger.passages.get(usize::try_from(*place).ok()?));
    let claim = ledger.claim(question.claim)?;
    if claim.kind == ClaimKind::Inference {
        return inference(ledger, claim);
    }
    Some(JudgeItem {
        claim: question.claim,
        witnesses: question.witnesses.clone(),
        words: claim.words.clone(),
        context: claim.context.clone(),
        passages: passages.clone().map(|passage| passage.text.clone()).collect(),
        passage_contexts: passages.clone().map(|passage| passage.context.clone()).collect(),
        passage_places: passages.map(|passage| (passage.source, passage.start)).collect(),
        is_inference: false,
    })
}

/// An inference with the claims it rests on, in one passage: it follows from all of them together or not at all.
fn inference(ledger: &Ledger, claim: &Claim) -> Option<JudgeItem> {
    let premises = claim.rests_on.iter().filter_map(|id| ledger.claim(*id));
    let words: Vec<&str> = premises.map(|premise| premise.words.as_str()).collect();
    (!words.is_empty()).then(|| JudgeItem {
        claim: claim.id,
        witnesses: Vec::new(),
        words: claim.words.clone(),
        context: claim.context.clone(),
        passages: vec![words.join(" ")],
        passage_contexts: Vec::new(),
        passage_places: Vec::new(),
        is_inference: true,
    })
}

/// The questions about these claims.
fn items(ledger: &Ledger, claims: &[ClaimId]) -> Vec<JudgeItem> {
    let asked = ledger.questions.iter().filter(|question| claims.contains(&question.claim));
    asked.filter_map(|question| item(ledger, question)).collect()
}

/// The known claims that go with these claims of a text, whether or not these were answered before.
pub fn known(ledger: &Ledger, claims: &[ClaimId]) -> Vec<JudgeItem> {
    controls::of(&items(ledger, claims))
}

/// What a task puts to the judge: claims of the text with known ones among them, or questions of the exam. What was
/// answered before is not put again.
pub fn asked(judge: &JudgePlan, course: &JudgeCourse, ledger: &Ledger, task: &CheckTask) -> Vec<JudgeItem> {
    match task.seat().1 {
        CheckTask::Judge { claims } => {
            let mut items = items(ledger, claims);
            let mut known = controls::of(&items);
            items.retain(|item| course.is_open(item.claim));
            known.retain(|item| course.is_open(item.claim));
            controls::with(items, known)
        }
        CheckTask::Exam { batch } => exam::batch(&exam::questions(judge), *batch)
            .iter()
            .map(|question| question.item.clone())
            .collect(),
        CheckTask::Page { .. } | CheckTask::Examine | CheckTask::Recall | CheckTask::Second { .. } => {
            Vec::new()
        }
    }
}

/// The key of a question. A strong hash, because pages choose the passages: no page may make one question
/// look like another that was answered in its favour.
pub fn question_key(judge: &JudgePlan, item: &JudgeItem) -> Digest {
    let mut hasher = blake3::Hasher::new();
    let mut part = |words: &str| {
        hasher.update(&u64::try_from(words.len()).unwrap_or(u64::MAX).to_le_bytes());
        hasher.update(words.as_bytes());
    };
    judge.identity().into_iter().for_each(&mut part);
    part(&item.words);
    item.passages.iter().for_each(|passage| part(passage));
    item.witnesses.iter().for_each(|witness| part(witness));
    // A question without surroundings keeps the key it always had.
    if !item.context.is_empty() || item.passage_contexts.iter().any(|context| !context.is_empty()) {
        part("surroundings");
        part(&format!("{:?}", item.context));
        item.passage_contexts.iter().for_each(|context| part(&format!("{context:?}")));
    }
    if item.is_inference {
        part("inference");
    }
    // Those of one text are told apart by their place: on a short page several are worded alike, and one that the judge
    // got wrong must not be taken for another.
    if controls::truth(item.claim).is_some() {
        part("known");
        part(&item.claim.to_string());
    }
    Digest(*hasher.finalize().as_bytes())
}

/// The accepted part of a reply. An opinion on the meaning needs a quotation from a passage that the judge
/// was shown.
pub fn answer(judge: &JudgePlan, item: &JudgeItem, reply: &JudgeReply) -> JudgeAnswer {
    let places: Vec<(u32, usize, usize)> = reply
        .quotations
        .iter()
        .take(QUOTATIONS_MAX)
        .filter_map(|quotation| find(&item.passages, quotation))
        .collect();
    let needs_place = matches!(
        reply.opinion,
        Opinion::Supports | Opinion::Partly | Opinion::Qualifies | Opinion::Contradicts
    );
    let invented = needs_place && places.is_empty();
    JudgeAnswer {
        claim: item.claim,
        key: question_key(judge, item),
        opinion: if invented { Opinion::Abstains } else { judge_opinion(reply.opinion) },
        places,
        confidence: reply.confidence.min(100),
        reason: match invented {
            true => why_refused(item, &reply.quotations).to_owned(),
            false => text::line(&reply.reason, REASON_CHARACTERS_MAX),
        },
        judged_at: None,
    }
}

/// Why none of the quotations counts.
fn why_refused(item: &JudgeItem, quotations: &[String]) -> &'static str {
    let said = || quotations.iter().take(QUOTATIONS_MAX).map(|quotation| words_of(quotation));
    let stands = |text: &str, words: &[&str]| {
        words.first().is_some_and(|first| {
            text.match_indices(first).any(|(start, _)| ends(text, start, words).is_some())
        })
    };
    let in_passages = |words: &[&str]| item.passages.iter().any(|passage| stands(passage, words));
    let beside = |words: &[&str]| {
        item.passage_contexts.iter().any(|context| {
            [&context.title, &context.heading, &context.columns, &context.before, &context.after]
                .into_iter()
                .any(|text| stands(text, words))
        })
    };
    if said().any(|words| in_passages(&words)) {
        TOO_SHORT
    } else if said().any(|words| beside(&words)) {
        BESIDE
    } else {
        INVENTED
    }
}

fn words_of(quotation: &str) -> Vec<&str> {
    quotation.trim_matches(['"', '“', '”', '\'', ' ']).split_whitespace().collect()
}

/// A judge cannot give an opinion that only rules can have.
fn judge_opinion(opinion: Opinion) -> Opinion {
    match opinion {
        Opinion::Agrees | Opinion::Quoted | Opinion::Doubts => Opinion::Abstains,
        other => other,
    }
}

/// The position of a quotation, white space aside; the first passage that has it.
fn find(passages: &[String], quotation: &str) -> Option<(u32, usize, usize)> {
    let said = words_of(quotation);
    if said.iter().map(|word| word.chars().count() + 1).sum::<usize>() <= QUOTATION_CHARACTERS_MIN {
        return None;
    }
    let first = said.first()?;
    passages.iter().enumerate().find_map(|(place, passage)| {
        let starts = passage.match_indices(first).map(|(start, _)| start);
        let (start, end) = starts.filter_map(|start| Some((start, ends(passage, start, &said)?))).next()?;
        Some((u32::try_from(place).ok()?, start, end))
    })
}

/// Where these words end, if they follow each other from `start` on.
fn ends(passage: &str, start: usize, words: &[&str]) -> Option<usize> {
    let mut rest = passage.get(start..)?;
    for (place, word) in words.iter().enumerate() {
        if place > 0 {
            let trimmed = rest.trim_start();
            // Words that are separate in the quotation are separate on the page.
            if trimmed.len() == rest.len() {
                return None;
            }
            rest = trimmed;
        }
        rest = rest.strip_prefix(word)?;
    }
    Some(passage.len() - rest.len())
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::{BESIDE, INVENTED, TOO_SHORT, answer, question_key};
    use crate::{
        checking::{
            plan::{ExamRule, JudgePlan},
            task::{JudgeItem, JudgeReply},
        },
        cost::MicroUsd,
        ledger::{Claim, ClaimContext, ClaimId, JudgeQuestion, Ledger, Opinion, PassageContext},
    };

    fn judge() -> JudgePlan {
        JudgePlan {
            name: "m".to_owned(),
            version: "1".to_owned(),
            local: false,
            price: MicroUsd(10),
            wrote_it: false,
            endpoint: String::new(),
            exam: ExamRule::Required,
        }
    }

    fn item() -> JudgeItem {
        JudgeItem {
            claim: ClaimId::at(0),
            words: "Revenue fell 12 %.".to_owned(),
            context: ClaimContext::default(),
            passages: vec!["Intro.".to_owned(), "In 2024 revenue\n rose 12 % to 5 bn.".to_owned()],
            witnesses: Vec::new(),
            passage_contexts: vec![PassageContext {
                before: "Acme closed a plant.".to_owned(),
                ..Default::default()
            }],
            passage_places: Vec::new(),
            is_inference: false,
        }
    }

    #[test]
    fn an_inference_is_shown_the_claims_it_rests_on() {
        let claim = |id: &str, words: &str, kind: &str, rests_on: &[&str]| -> Claim {
            let stored = json!({ "id": id, "start": 0, "end": 1, "words": words, "kind": kind,
                "load_bearing": false, "rests_on": rests_on });
            serde_json::from_value(stored).unwrap()
        };
        let claims = vec![
            claim("C1", "The bridge cost 1,200.", "fact", &[]),
            claim("C2", "The tunnel cost 900.", "fact", &[]),
            claim("C3", "So the bridge was dearer.", "inference", &["C1", "C2"]),
        ];
        let ledger = Ledger { claims, ..Ledger::default() };
        let question = JudgeQuestion { claim: ClaimId::at(2), passages: Vec::new(), witnesses: Vec::new() };
        let item = super::item(&ledger, &question).unwrap();
        assert!(item.is_inference);
        assert_eq!(item.passages, ["The bridge cost 1,200. The tunnel cost 900."]);
        let as_fact = JudgeItem { is_inference: false, ..item.clone() };
        assert_ne!(question_key(&judge(), &item), question_key(&judge(), &as_fact));
        let heard = answer(&judge(), &item, &reply(Opinion::Supports, "The tunnel cost 900."));
        assert_eq!(heard.opinion, Opinion::Supports);
    }

    fn reply(opinion: Opinion, quotation: &str) -> JudgeReply {
        JudgeReply {
            claim: ClaimId::at(0),
            opinion,
            quotations: vec![quotation.to_owned()],
            confidence: 200,
            reason: "said so".to_owned(),
        }
    }

    #[test]
    fn a_judge_is_believed_only_with_words_that_stand_there() {
        let heard = |opinion, quotation| answer(&judge(), &item(), &reply(opinion, quotation));
        let true_quote = heard(Opinion::Contradicts, "revenue rose 12 %");
        assert_eq!(
            (true_quote.opinion, true_quote.places, true_quote.confidence),
            (Opinion::Contradicts, vec![(1, 8, 26)], 100)
        );
        // What stands beside a passage explains it and proves nothing.
        for (refused, why) in [
            ("revenue fell 12 %", INVENTED),
            ("", INVENTED),
            ("rose", TOO_SHORT),
            ("revenuerose 12 % to", INVENTED),
            ("Acme closed a plant.", BESIDE),
        ] {
            let heard = heard(Opinion::Supports, refused);
            assert_eq!((heard.opinion, heard.reason.as_str()), (Opinion::Abstains, why), "{refused}");
        }
        assert_eq!(heard(Opinion::Absent, "").opinion, Opinion::Absent);
        assert_eq!(heard(Opinion::Quoted, "revenue rose 12 %").opinion, Opinion::Abstains);
    }

    #[test]
    fn another_passage_claim_or_judge_is_another_question() {
        let base = question_key(&judge(), &item());
        let mut other = item();
        other.passages = vec!["Intro.In 2024 revenue\n rose 12 % to 5 bn.".to_owned()];
        assert_ne!(question_key(&judge(), &other), base);
        assert_ne!(question_key(&JudgePlan { version: "2".to_owned(), ..judge() }, &item()), base);
        assert_eq!(question_key(&judge(), &item()), base);
        let mut other = item();
        other.context.headings.push("The dam".to_owned());
        assert_ne!(question_key(&judge(), &other), base, "the same words about something else");
        let mut other = item();
        other.passage_contexts[0].title = "The airport".to_owned();
        assert_ne!(question_key(&judge(), &other), base);
    }
}
