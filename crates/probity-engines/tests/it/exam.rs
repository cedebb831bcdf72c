//! The exam as a judge meets it: the real prompt, the real client, and the simulated model as an honest and a lying judge.

use probity_engines::{Prompts, judge::Judge};
use probity_models::{
    ApiKey, HttpTransport,
    chat::{ChatClient, ChatKind, ChatSettings},
};
use probity_research::{
    checking::{
        CheckTaskOutput, ExamRule, JudgePlan, controls, exam,
        judge::answer,
        task::{JudgeAnswer, JudgeItem, JudgeRequest},
    },
    cost::MicroUsd,
    ledger::{ClaimId, JudgeExam, Opinion},
    time::Moment,
};
use probity_simulator::{Simulator, SimulatorOptions};

fn plan(name: &str) -> JudgePlan {
    JudgePlan {
        name: name.to_owned(),
        version: "1".to_owned(),
        local: true,
        price: MicroUsd(0),
        wrote_it: true,
        endpoint: String::new(),
        exam: ExamRule::Required,
    }
}

async fn ask(simulator: &Simulator, model: &str, items: Vec<JudgeItem>) -> Vec<JudgeAnswer> {
    let mut settings = ChatSettings::new(ChatKind::OpenAi, model);
    simulator.base_url().clone_into(&mut settings.base_url);
    settings.key = Some(ApiKey::parse("canary-key-7f3a").unwrap());
    let chat: ChatClient<HttpTransport> =
        ChatClient::connect(settings, || Moment::of_date("2026-11-15").unwrap()).unwrap();
    let request = JudgeRequest { items };
    let (output, _) = Judge::Chat(chat).ask(&Prompts::default(), &request).await;
    let CheckTaskOutput::Judged(replies) = output else { panic!("{output:?}") };
    let item = |claim: ClaimId| request.items.iter().find(|item| item.claim == claim).unwrap();
    replies.iter().map(|reply| answer(&plan(model), item(reply.claim), reply)).collect()
}

async fn sit(model: &str, seeds: std::ops::Range<u64>) -> Vec<(JudgeExam, Vec<String>)> {
    let simulator = Simulator::start(SimulatorOptions::default()).await.unwrap();
    let mut results = Vec::new();
    for seed in seeds {
        let questions = exam::generate(seed);
        let mut answers = Vec::new();
        for batch in 0..exam::BATCHES as u32 {
            let items = exam::batch(&questions, batch).iter().map(|question| question.item.clone()).collect();
            answers.extend(ask(&simulator, model, items).await);
        }
        let wrong = questions.iter().filter_map(|question| {
            let heard = answers.iter().find(|answer| answer.claim == question.item.claim);
            let opinion = heard.map(|answer| answer.opinion);
            let is_right = opinion.is_some_and(|opinion| question.truth.accepts(opinion));
            (!is_right).then(|| {
                let it = (question.language, question.kind, question.truth);
                format!("{it:?} {opinion:?} {:?}", question.item)
            })
        });
        let wrong: Vec<String> = wrong.collect();
        results.push((exam::score(&questions, &answers, &[]), wrong));
    }
    results
}

#[tokio::test]
async fn an_honest_judge_passes_every_exam() {
    for (result, wrong) in sit("honest", 0..12).await {
        assert_eq!((result.total, result.right), (40, 40), "{}", wrong.join("\n"));
    }
}

#[tokio::test]
async fn a_judge_that_says_yes_to_everything_fails() {
    for (result, _) in sit("yes-sayer", 0..2).await {
        assert_eq!((result.total, result.right, result.false_support), (40, 10, 30));
    }
}

#[tokio::test]
async fn known_claims_tell_the_two_apart() {
    let page = |text: &str| vec![text.to_owned(), "The region is known for its long winters.".to_owned()];
    let pages = [
        "In 1932, the harbour bridge was opened with six lanes. It cost 4.2 million pounds to build.",
        "The northern orchards yield about 350 tonnes of pears every autumn, most of them for export.",
        "Die Straßenbahn wurde 1907 nach sechs Jahren Bauzeit eröffnet und fährt bis heute.",
        "该水库于1987年建成，蓄水量为三亿立方米，是该地区最大的水库之一。",
    ];
    let simulator = Simulator::start(SimulatorOptions::default()).await.unwrap();
    for turn in 0..12 {
        let item = |(place, text): (usize, &&str)| {
            exam::plain_item(ClaimId::at(place), format!("{text} {turn}"), page(text))
        };
        let asked = controls::mixed(pages.iter().enumerate().map(item).collect());
        for (model, lies) in [("honest", false), ("yes-sayer", true)] {
            let mut tally = controls::ControlTally::default();
            let answers = ask(&simulator, model, asked.clone()).await;
            answers.iter().for_each(|answer| tally.add(answer));
            assert_eq!((tally.total(), tally.passed() > 0), (2, lies), "{model}: {asked:?}");
            assert!(lies || tally.right() == 2, "{asked:?}: {answers:?}");
            assert!(answers.iter().all(|answer| answer.opinion != Opinion::Abstains));
        }
    }
}
