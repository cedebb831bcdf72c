//! `probity fleet status`: every part of the fleet, as it answers now.

use std::time::Duration;

use probity_fleet::Ingress;
use serde_json::{Value, json};

use crate::{
    command_context::CommandContext, command_error::CommandError, exit::Exit, fleet, output::Tone,
    settings::Settings,
};

/// How long one part may take to answer.
const ANSWER_TAKES_MAX: Duration = Duration::from_secs(10);

pub async fn run(context: &CommandContext, settings: &Settings, as_json: bool) -> Result<Exit, CommandError> {
    let document = document(context, settings).await?;
    if as_json {
        context.output.json(&document)?;
    } else {
        show(context, &document)?;
    }
    let healthy = listed(&document, "parts").iter().all(|part| part.get("ok") == Some(&Value::Bool(true)));
    Ok(if healthy { Exit::Done } else { Exit::Failed })
}

async fn document(context: &CommandContext, settings: &Settings) -> Result<Value, CommandError> {
    let postgres = fleet::postgres(context, settings).await?;
    let health = postgres.health().await;
    let mut parts = Vec::new();
    match &health.answer {
        Ok(answer) => parts.push(json!({
            "part": "database", "ok": answer.steps_missing.is_empty() && !answer.is_standby,
            "says": format!("PostgreSQL {} at {}, {} MB", answer.version, health.place, answer.database_bytes / 1_000_000),
        })),
        Err(problem) => parts.push(json!({ "part": "database", "ok": false, "says": problem.message })),
    }
    let alive = health.answer.as_ref().map_or(0, |answer| answer.owners_alive);
    parts.push(json!({ "part": "workers", "ok": alive > 0, "says": format!("{alive} alive") }));
    let objects = tokio::time::timeout(ANSWER_TAKES_MAX, postgres.objects().check()).await;
    parts.push(match objects {
        Ok(Ok(())) => json!({ "part": "objects", "ok": true, "says": "readable and writable" }),
        Ok(Err(problem)) => json!({ "part": "objects", "ok": false, "says": problem.message }),
        Err(_) => json!({ "part": "objects", "ok": false, "says": "no answer in time" }),
    });
    parts.push(match Ingress::new(&settings.fleet.engine)?.check().await {
        Ok(()) => json!({ "part": "engine", "ok": true, "says": settings.fleet.engine }),
        Err(problem) => json!({ "part": "engine", "ok": false, "says": problem.message }),
    });
    let loads = postgres.tenant_loads().await.unwrap_or_default();
    let tenants: Vec<Value> = loads
        .iter()
        .map(|load| {
            let name = load.tenant.as_ref().map_or("(operator)", |tenant| tenant.as_str());
            json!({ "tenant": name, "in_flight": load.in_flight, "waiting": load.waiting })
        })
        .collect();
    let counts = postgres.counts().await.unwrap_or_default();
    let researches: serde_json::Map<String, Value> =
        counts.into_iter().map(|(status, count)| (status.as_str().to_owned(), count.into())).collect();
    let limits: Vec<Value> = match postgres.provider_limits().await {
        Ok(limits) => limits.iter().map(|limit| json!(format!("{limit:?}"))).collect(),
        Err(_) => Vec::new(),
    };
    Ok(json!({
        "schema_version": 1, "parts": parts, "researches": researches, "tenants": tenants,
        "provider_limits": limits,
    }))
}

fn show(context: &CommandContext, document: &Value) -> Result<(), CommandError> {
    let output = &context.output;
    let mut lines = Vec::new();
    for part in listed(document, "parts") {
        let mark = match part.get("ok").and_then(Value::as_bool) {
            Some(true) => output.style_out(Tone::Strong, "ok  "),
            _ => output.style_out(Tone::Warning, "down"),
        };
        lines.push(format!("{mark} {:<9} {}", text(part, "part"), text(part, "says")));
    }
    let counted = document.get("researches").and_then(Value::as_object).into_iter().flatten();
    let counted: Vec<String> = counted.map(|(status, count)| format!("{count} {status}")).collect();
    lines.push(format!(
        "researches     {}",
        if counted.is_empty() { "none".to_owned() } else { counted.join(", ") }
    ));
    for tenant in listed(document, "tenants") {
        lines.push(format!(
            "  {:<32} {} in flight, {} waiting",
            text(tenant, "tenant"),
            tenant.get("in_flight").unwrap_or(&Value::Null),
            tenant.get("waiting").unwrap_or(&Value::Null)
        ));
    }
    output.data(&lines.join("\n"))
}

fn listed<'a>(document: &'a Value, name: &str) -> &'a [Value] {
    document.get(name).and_then(Value::as_array).map(Vec::as_slice).unwrap_or_default()
}

fn text<'a>(value: &'a Value, name: &str) -> &'a str {
    value.get(name).and_then(Value::as_str).unwrap_or_default()
}
