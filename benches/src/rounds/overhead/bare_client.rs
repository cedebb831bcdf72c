//! The least that could be called a client of rounds: it asks, hears the stream to its end, gets the answer,
//! follows its redirects and asks again with what it was told. Nothing is kept.
#![expect(clippy::disallowed_methods, reason = "the bare HTTP client is what is measured against")]

use std::{collections::BTreeSet, time::Duration};

use anyhow::Context as _;
use probity_engines::{PromptName, Prompts, prompts::CorrectionPlacement, schema::schema};
use probity_research::{
    RunId,
    engine_call::RoundCall,
    model::DEFAULT_MODEL,
    rounds::{Mode, RoundHints},
};
use serde_json::{Value, json};

use super::{OverheadScript, process_cpu};
use crate::foundation::laptop::random;

/// Where the provider hides the pages that it cites.
const REDIRECT: &str = "/grounding-api-redirect/";

/// What a control plants into every round.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PlantedDelay {
    None,
    Waits(Duration),
    Computes(Duration),
}

pub struct BareRoundsClient {
    client: reqwest::Client,
    base_url: String,
    prompts: Prompts,
    schema: Value,
    hindrance: PlantedDelay,
}

impl BareRoundsClient {
    pub fn new(base_url: &str, hindrance: PlantedDelay) -> anyhow::Result<Self> {
        Ok(Self {
            client: client()?,
            base_url: base_url.to_owned(),
            prompts: Prompts::default(),
            schema: schema(),
            hindrance,
        })
    }

    pub async fn search(&self, script: &OverheadScript) -> anyhow::Result<()> {
        let task = RunId::from_random(random()).to_string();
        let question = script.question(&task);
        let mut current = None;
        for round in 1..=script.rounds {
            self.apply_delay().await;
            let call = RoundCall {
                round,
                rounds_max: script.rounds,
                model: None,
                current: current.take(),
                hints: RoundHints::default(),
                invalid: None,
            };
            let prompt = self.prompts.fill(Mode::DeepSearch, &question, &call, CorrectionPlacement::Inline);
            current = Some(Box::pin(self.round(&prompt, &task)).await?);
        }
        Ok(())
    }

    /// One round; the report it brought.
    async fn round(&self, prompt: &str, task: &str) -> anyhow::Result<String> {
        let id = self.create(prompt, task).await?;
        let request = self.client.get(format!("{}/v1/interactions/{id}?stream=false", self.base_url));
        let answer = request.header("x-goog-api-key", "test-key").send().await?;
        let interaction: Value = serde_json::from_slice(&answer.bytes().await?)?;
        let (mut text, mut links) = (String::new(), BTreeSet::new());
        outputs(&interaction, &mut text, &mut links);
        let mut asked = tokio::task::JoinSet::new();
        for link in links {
            let client = self.client.clone();
            asked.spawn(async move { client.get(link).send().await });
        }
        while let Some(followed) = asked.join_next().await {
            followed??.headers().get("location").context("a redirect that leads nowhere")?;
        }
        let answer: Value = serde_json::from_str(&text).context("the answer is not JSON")?;
        answer.get("report").and_then(Value::as_str).map(str::to_owned).context("the answer has no report")
    }

    /// Asks, and hears the stream to its end; the id it told.
    async fn create(&self, prompt: &str, task: &str) -> anyhow::Result<String> {
        let body = json!({
            "model": DEFAULT_MODEL,
            "input": prompt,
            "stream": true,
            "background": true,
            "store": true,
            "system_instruction": self.prompts.text(PromptName::System),
            "tools": [{"type": "google_search"}, {"type": "url_context"}],
            "response_format": {"type": "text", "mime_type": "application/json", "schema": self.schema},
            "labels": {"task": task},
        });
        let request = self.client.post(format!("{}/v1/interactions", self.base_url));
        let request = request.header("x-goog-api-key", "test-key").header("content-type", "application/json");
        let mut answer = request.body(body.to_string()).send().await?;
        let mut heard = Vec::new();
        while let Some(piece) = answer.chunk().await? {
            heard.extend_from_slice(&piece);
        }
        let heard = String::from_utf8_lossy(&heard);
        let first = heard.lines().find_map(|line| line.strip_prefix("data: ")).context("an empty stream")?;
        let first: Value = serde_json::from_str(first)?;
        let id = first.pointer("/interaction/id").and_then(Value::as_str);
        id.map(str::to_owned).with_context(|| format!("no id in {first}"))
    }

    async fn apply_delay(&self) {
        match self.hindrance {
            PlantedDelay::None => {}
            PlantedDelay::Waits(time) => tokio::time::sleep(time).await,
            PlantedDelay::Computes(time) => {
                // Of CPU, not of the clock: on a busy machine the two differ.
                let until = process_cpu() + time;
                while process_cpu() < until {
                    std::hint::spin_loop();
                }
            }
        }
    }
}

/// Redirects are looked at, as Probity does, and not followed.
fn client() -> anyhow::Result<reqwest::Client> {
    let redirects = reqwest::redirect::Policy::none();
    Ok(reqwest::Client::builder().tcp_nodelay(true).no_proxy().redirect(redirects).build()?)
}

/// The text of every output and the redirects it cites.
fn outputs(interaction: &Value, text: &mut String, links: &mut BTreeSet<String>) {
    let list = |value: Option<&Value>| value.and_then(Value::as_array).cloned().unwrap_or_default();
    let steps = list(interaction.get("steps"));
    for step in steps.iter().filter(|step| step.get("type").and_then(Value::as_str) == Some("model_output")) {
        for content in list(step.get("content")) {
            text.push_str(content.get("text").and_then(Value::as_str).unwrap_or_default());
            for annotation in list(content.get("annotations")) {
                let link = annotation.get("url").and_then(Value::as_str).unwrap_or_default();
                if link.contains(REDIRECT) {
                    links.insert(link.to_owned());
                }
            }
        }
    }
}
