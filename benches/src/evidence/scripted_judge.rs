//! Judges that answer by script behind an endpoint such as a provider has: one that is right, one that says yes to
//! everything and quotes true words, one that errs as often as published ones do.
//!
//! What its labels do not name (items of an exam, hidden controls) it compares with the passages, like any other item:
//! it cannot tell them apart.

mod comparison;

use std::{
    process::Command,
    sync::{
        Arc,
        atomic::{AtomicUsize, Ordering},
    },
};

use anyhow::Context as _;
use axum::{Json, Router, extract::State, routing::post};
use serde_json::{Value, json};
use tokio::runtime::Runtime;

pub use self::comparison::{SentenceLabels, TruthLabel};
use super::{seeded_random::SeededRandom, verdicts::letters};

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ScriptedJudge {
    /// Right by the labels.
    Perfect,
    YesSayer,
    Noisy,
}

/// As published for judges of the class of GPT-4: true claims refused, wrong ones passed, quotations that do not stand
/// there.
const REFUSED: f64 = 0.18;
const PASSED: f64 = 0.24;
const MISQUOTED: f64 = 0.08;
/// Letters of a tampered quotation that are the page's.
const MISQUOTED_LETTERS: usize = 60;
/// What is charged for: four letters are about a token.
const LETTERS_PER_TOKEN: usize = 4;

/// One judge on loopback. Dropping it ends it.
pub struct ScriptedJudgeServer {
    pub base_url: String,
    desk: Arc<JudgeDesk>,
    _runtime: Runtime,
}

struct JudgeDesk {
    judge: ScriptedJudge,
    labels: SentenceLabels,
    input_tokens: AtomicUsize,
}

impl ScriptedJudgeServer {
    pub fn start(judge: ScriptedJudge, labels: SentenceLabels) -> anyhow::Result<Self> {
        let desk = JudgeDesk { judge, labels, input_tokens: AtomicUsize::new(0) };
        let desk = Arc::new(desk);
        let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(1).enable_all().build()?;
        let listener =
            runtime.block_on(tokio::net::TcpListener::bind("127.0.0.1:0")).context("a port for a judge")?;
        let base_url = format!("http://{}/v1", listener.local_addr()?);
        let routes = Router::new().route("/v1/chat/completions", post(reply)).with_state(Arc::clone(&desk));
        runtime.spawn(async move { axum::serve(listener, routes).await });
        Ok(Self { base_url, desk, _runtime: runtime })
    }

    /// Lets the program ask this judge.
    pub fn appoint<'c>(&self, command: &'c mut Command) -> &'c mut Command {
        command.env("PROBITY_CHAT__BASE_URL", &self.base_url)
    }

    /// Tokens that it was sent since it was last asked for them.
    pub fn take_input_tokens(&self) -> usize {
        self.desk.input_tokens.swap(0, Ordering::Relaxed)
    }
}

async fn reply(State(desk): State<Arc<JudgeDesk>>, Json(request): Json<Value>) -> Json<Value> {
    let messages = request.get("messages").and_then(Value::as_array).map_or(&[][..], Vec::as_slice);
    let texts: Vec<String> = messages.iter().map(text_of).collect();
    let answers: Vec<Value> =
        items(texts.last().map_or("", String::as_str)).iter().map(|item| desk.answer(item)).collect();
    let content = json!({ "answers": answers }).to_string();
    let tokens =
        |texts: &[String]| texts.iter().map(|text| text.chars().count()).sum::<usize>() / LETTERS_PER_TOKEN;
    let (input, output) = (tokens(&texts), tokens(std::slice::from_ref(&content)));
    desk.input_tokens.fetch_add(input, Ordering::Relaxed);
    Json(json!({
        "id": "scripted", "object": "chat.completion", "created": 0, "model": request.get("model"),
        "choices": [{"index": 0, "finish_reason": "stop", "message": {"role": "assistant", "content": content}}],
        "usage": {"prompt_tokens": input, "completion_tokens": output, "total_tokens": input + output},
    }))
}

/// The text of a message, whole or in parts.
fn text_of(message: &Value) -> String {
    let content = message.get("content").unwrap_or(&Value::Null);
    let parts = content.as_array().into_iter().flatten();
    let parts = parts.filter_map(|part| part.get("text").and_then(Value::as_str));
    content.as_str().map_or_else(|| parts.collect(), str::to_owned)
}

/// A claim with the passages it is judged by, as the prompt lists them.
#[derive(Debug, Default, PartialEq, Eq)]
struct AskedItem<'p> {
    number: &'p str,
    claim: &'p str,
    passages: Vec<&'p str>,
}

/// `[0] claim: …` begins an item; `passage: …` is the page's; `the same passages as: [0]` names an item that has them;
/// whatever else stands there is for readers.
fn items(prompt: &str) -> Vec<AskedItem<'_>> {
    let listed = prompt.split_once("<items>").map_or("", |(_, listed)| listed);
    let listed = listed.split_once("</items>").map_or(listed, |(listed, _)| listed);
    let mut items: Vec<AskedItem<'_>> = Vec::new();
    for line in listed.lines().map(str::trim) {
        let begins = line.strip_prefix('[').and_then(|rest| rest.split_once("] claim: "));
        let passage = line.strip_prefix("passage").and_then(|rest| rest.split_once(": "));
        let shared = line.strip_prefix("the same passages as: [").and_then(|rest| rest.strip_suffix(']'));
        let shared = shared.and_then(|number| items.iter().find(|item| item.number == number));
        let shared = shared.map(|item| item.passages.clone()).unwrap_or_default();
        if let Some((number, claim)) = begins {
            items.push(AskedItem { number, claim, passages: Vec::new() });
        } else if let (Some((_, passage)), Some(item)) = (passage, items.last_mut()) {
            item.passages.push(passage);
        } else if let Some(item) = items.last_mut() {
            item.passages.extend(shared);
        }
    }
    items
}

impl JudgeDesk {
    fn answer(&self, item: &AskedItem<'_>) -> Value {
        let known = self.labels.label(item.claim, &item.passages);
        let truth = known.unwrap_or_else(|| comparison::compare(item.claim, &item.passages));
        let best = comparison::nearest(item.claim, &item.passages);
        let (said, quotation) = match self.judge {
            ScriptedJudge::Perfect => (truth, best.to_owned()),
            ScriptedJudge::YesSayer => (TruthLabel::True, best.to_owned()),
            ScriptedJudge::Noisy => noisy(item.claim, truth, best),
        };
        let quotations = if said == TruthLabel::Absent { Vec::new() } else { vec![quotation] };
        let number = item.number.parse::<u64>().map_or_else(|_| json!(item.number), |number| json!(number));
        json!({
            "item": number, "verdict": said.verdict(), "quotations": quotations, "confidence": 90, "reason": "by script",
        })
    }
}

/// The same errors for the same claim every time.
fn noisy(claim: &str, truth: TruthLabel, passage: &str) -> (TruthLabel, String) {
    let seed = letters(claim).bytes().fold(0xCBF2_9CE4_8422_2325_u64, |seed, byte| {
        (seed ^ u64::from(byte)).wrapping_mul(0x0100_0000_01B3)
    });
    let mut random = SeededRandom::seeded(seed);
    let (refused, passed, misquoted) =
        (random.chance(REFUSED), random.chance(PASSED), random.chance(MISQUOTED));
    let said = match truth {
        TruthLabel::True if refused => {
            *random.pick(&[TruthLabel::Overstated, TruthLabel::Absent]).unwrap_or(&TruthLabel::Absent)
        }
        TruthLabel::True => TruthLabel::True,
        TruthLabel::False | TruthLabel::Absent | TruthLabel::Overstated if passed => TruthLabel::True,
        wrong => wrong,
    };
    let tampered = || format!("{} indeed", passage.chars().take(MISQUOTED_LETTERS).collect::<String>());
    (said, if misquoted { tampered() } else { passage.to_owned() })
}

#[cfg(test)]
mod tests {
    use super::{AskedItem, items};

    #[test]
    fn items_are_read_whatever_stands_between() {
        let prompt = "Judge.\n<items>\n[0] claim: It cost 3 million.\n  before: The dam.\n  passage: The dam cost 3 million.\n\n\
                      [1] claim: It fell.\n  passage 1: It rose.\n  passage 2: It is: new.\n\n\
                      [2] claim: It is dear.\n  the same passages as: [0]\n</items>\n[2] claim: no";
        let expected = [
            AskedItem { number: "0", claim: "It cost 3 million.", passages: vec!["The dam cost 3 million."] },
            AskedItem { number: "1", claim: "It fell.", passages: vec!["It rose.", "It is: new."] },
            AskedItem { number: "2", claim: "It is dear.", passages: vec!["The dam cost 3 million."] },
        ];
        assert_eq!(items(prompt), expected);
    }
}
