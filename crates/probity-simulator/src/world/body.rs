//! The JSON of an interaction: as `create` returns it, as `get` shows it, as events contain it.

use serde_json::{Value, json};

use super::interaction::{Interaction, InteractionWorker};
use crate::scenario::{Name, StepVisibility};

/// Which fields an answer has.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum BodyShape {
    /// The answer to a create: no request fields, output steps only.
    Created,
    /// `get` and `cancel`: request fields and the whole timeline.
    Full,
    /// Inside an event: no steps, no request fields.
    Event,
}

/// The interaction as JSON text. Written by hand because a poll is the most frequent answer of all.
pub(crate) fn text(interaction: &Interaction, epoch_seconds: i64, now_ms: u64, shape: BodyShape) -> String {
    let ended = interaction.shows_end(now_ms);
    let (field, name) = match &interaction.worker {
        InteractionWorker::Agent(name) => ("agent", name),
        InteractionWorker::Model(name) => ("model", name),
    };
    let mut text = format!(
        "{{\"id\":\"{}\",\"object\":\"interaction\",\"{field}\":{},\"created\":\"{}\",\"updated\":\"{}\",\"status\":\"{}\"",
        interaction.id,
        Value::from(&**name),
        timestamp(epoch_seconds, interaction.created_ms),
        timestamp(epoch_seconds, interaction.updated_ms(now_ms)),
        interaction.status(now_ms),
    );
    if shape == BodyShape::Full {
        text.push_str(&interaction.echo);
        if ended && !interaction.echo.contains("\"service_tier\":") {
            text.push_str(",\"service_tier\":\"standard\"");
        }
    }
    if shape != BodyShape::Event {
        push_steps(&mut text, interaction, now_ms, shape);
    }
    if ended {
        push_end(&mut text, interaction, now_ms, shape);
    }
    text.push('}');
    text
}

fn push_steps(text: &mut String, interaction: &Interaction, now_ms: u64, shape: BodyShape) {
    let ended = interaction.shows_end(now_ms);
    if !ended && (shape == BodyShape::Created || interaction.scenario.shown == StepVisibility::ShownAtEnd) {
        return;
    }
    text.push_str(",\"steps\":[");
    if interaction.scenario.name == Name::Failed && ended && interaction.cancelled_ms.is_none() {
        text.push(']');
        return;
    }
    let mut separator = "";
    if shape == BodyShape::Full {
        text.push_str("{\"type\":\"user_input\",\"content\":");
        text.push_str(&interaction.user_content);
        text.push('}');
        separator = ",";
    }
    let steps = interaction.steps();
    let done = if ended && interaction.cancelled_ms.is_none() {
        steps.len()
    } else {
        interaction.steps_done(now_ms, steps.len())
    };
    for step in steps.iter().take(done) {
        text.push_str(separator);
        text.push_str(&step.json(interaction).to_string());
        separator = ",";
    }
    text.push(']');
}

fn push_end(text: &mut String, interaction: &Interaction, now_ms: u64, shape: BodyShape) {
    let name = interaction.scenario.name;
    let cancelled = interaction.cancelled_ms.is_some();
    if name == Name::Failed && !cancelled && shape != BodyShape::Event {
        let errors = json!([{"code": "https://ai.google.dev/errors/internal", "message": "The research agent failed."}]);
        text.push_str(",\"errors\":");
        text.push_str(&errors.to_string());
    }
    if name == Name::UnknownEnums && shape == BodyShape::Full {
        text.push_str(",\"brand_new_field\":1");
    }
    if name != Name::UsageMissing && (name != Name::Failed || cancelled) {
        text.push_str(",\"usage\":");
        text.push_str(&interaction.usage(now_ms).json().to_string());
    }
}

/// The interaction as its first event shows it, whatever its state is now.
pub(crate) fn created(interaction: &Interaction, epoch_seconds: i64) -> Value {
    let at = timestamp(epoch_seconds, interaction.created_ms).to_string();
    let mut created = json!({
        "id": &*interaction.id, "object": "interaction", "created": at, "updated": at,
        "status": interaction.first_status(),
    });
    if let Some(fields) = created.as_object_mut() {
        let (field, name) = match &interaction.worker {
            InteractionWorker::Agent(name) => ("agent", name),
            InteractionWorker::Model(name) => ("model", name),
        };
        fields.insert(field.to_owned(), Value::from(&**name));
    }
    created
}

/// A world time as the service writes it: whole seconds, UTC.
fn timestamp(epoch_seconds: i64, at_ms: u64) -> jiff::Timestamp {
    let seconds = i64::try_from(at_ms / 1_000).unwrap_or(i64::MAX);
    jiff::Timestamp::from_second(epoch_seconds.saturating_add(seconds)).unwrap_or(jiff::Timestamp::MAX)
}
