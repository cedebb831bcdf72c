//! `probity privacy`: which hosts a run contacted, what each was sent, and where its data lies.
//!
//! Read from the journal, where each request was recorded as an intent before it was made. The journal names
//! search providers and models; their hosts are those of today's settings, and the output says so.

mod contacts;

use clap::Args;
use probity_research::{RunState, text};
use serde_json::{Value, json};

use crate::{
    app_context::AppContext,
    command_context::CommandContext,
    command_error::CommandError,
    exit::Exit,
    format,
    identify::{LAST, identify_even_removed},
    keys::ProviderKeys,
    output::{ConsoleOutput, Tone},
    planning,
    settings::{Settings, raw::RawSettings},
    wire::SCHEMA_VERSION,
};
use contacts::{Contact, ContactHosts};

/// Queries shown on a screen; `--json` has all of them.
const QUERIES_SHOWN_MAX: usize = 10;
/// Hosts of one kind shown on a screen.
const HOSTS_SHOWN_MAX: usize = 40;
const LINE_CHARACTERS_MAX: usize = 120;

const NEVER: &str = "Probity sends no telemetry, looks for no updates and has no server of its own.";
const DELETE: &str = "to delete everything, remove this directory; to delete one research: `probity runs rm ID`, then `probity runs purge`";

#[derive(Debug, Args)]
pub struct PrivacyArguments {
    /// An id, the beginning of one, or `last`
    #[arg(default_value = "last", value_name = "ID", add = crate::tab_completion::run_id_candidates())]
    pub id: String,
    /// Print exactly one JSON document on stdout
    #[arg(long)]
    pub json: bool,
}

pub fn run(context: &CommandContext, arguments: &PrivacyArguments) -> Result<Exit, CommandError> {
    let settings = context.settings(RawSettings::default())?.settings;
    let report = match AppContext::open_to_read(&settings)? {
        Some(app) if app.store.latest()?.is_some() || arguments.id != LAST => {
            Some(read_report(context, &settings, &app, &arguments.id)?)
        }
        Some(_) | None => None,
    };
    match arguments.json {
        true => context.output.json(&document(&settings, report.as_ref()))?,
        false => context.output.data(&render_text(&context.output, &settings, report.as_ref()))?,
    }
    Ok(Exit::Done)
}

/// What the journal of one run records.
struct PrivacyReport {
    id: String,
    question: String,
    queries: Vec<String>,
    contacts: Vec<Contact>,
}

fn read_report(
    context: &CommandContext,
    settings: &Settings,
    app: &AppContext,
    id: &str,
) -> Result<PrivacyReport, CommandError> {
    let id = identify_even_removed(app, id)?;
    let journal = app.store.journal_even_removed(id)?;
    let research = RunState::replay(id, &journal).map_err(|error| {
        CommandError::new(error.code(), "the journal of this research cannot be read").with_cause(&error)
    })?;
    let places = contact_hosts(settings, &ProviderKeys::read(&context.environment)?);
    let queries = research.web_state.iter().flat_map(|gathering| &gathering.queries);
    Ok(PrivacyReport {
        id: id.to_string(),
        question: research.query.headline(),
        queries: queries.map(|asked| text::line(&asked.query, LINE_CHARACTERS_MAX)).collect(),
        contacts: contacts::collect_contacts(&research, &journal, &places),
    })
}

fn contact_hosts(settings: &Settings, keys: &ProviderKeys) -> ContactHosts {
    let host = |address: &str| contacts::host_of(address).unwrap_or_else(|| "unknown".to_owned());
    let model = |chat: Option<probity_models::chat::ChatSettings>| chat.map(|chat| host(&chat.base_url));
    ContactHosts {
        bases: settings.web.bases.clone(),
        chat: model(planning::chat_settings(settings, keys)),
        judge: model(planning::judge_settings(settings, keys)),
        second_judge: model(planning::second_judge_settings(settings, keys)),
        google: host(settings.base_url.as_str()),
        archive: settings.web.archive,
    }
}

fn document(settings: &Settings, report: Option<&PrivacyReport>) -> Value {
    let contact = |contact: &Contact| {
        json!({
            "kind": contact.kind.as_str(),
            "host": contact.host,
            "name": contact.name,
            "requests": contact.requests,
            "sent": contact.kind.sent(),
            "on_this_machine": contact.is_here,
            "host_from": if contact.is_from_journal { "journal" } else { "settings" },
        })
    };
    json!({
        "schema_version": SCHEMA_VERSION,
        "task_id": report.map(|report| &report.id),
        "query": report.map(|report| &report.question),
        "search_queries": report.map(|report| &report.queries),
        "contacts": report.map(|report| report.contacts.iter().map(contact).collect::<Vec<Value>>()),
        "telemetry": false,
        "data_directory": settings.store_directory.display().to_string(),
        "reports_directory": settings.reports_directory.display().to_string(),
    })
}

fn render_text(output: &ConsoleOutput, settings: &Settings, report: Option<&PrivacyReport>) -> String {
    let mut lines = vec![output.fit_out(NEVER, 0)];
    match report {
        None => lines.push("There is no research yet: nothing was sent to anybody.".to_owned()),
        Some(report) => lines.extend(run_lines(output, report)),
    }
    lines.push(String::new());
    lines.push(output.style_out(Tone::Strong, "Where the data lies"));
    lines.push(format!("  {}", settings.store_directory.display()));
    lines.push(output.fit_out("  journal, reports, stored pages; only your account may read it", 2));
    if !settings.reports_directory.starts_with(&settings.store_directory) {
        lines.push(format!("  {}", settings.reports_directory.display()));
        lines.push("  reports that were saved as files".to_owned());
    }
    lines.push(output.fit_out(&format!("  {DELETE}"), 2));
    lines.join("\n")
}

fn run_lines(output: &ConsoleOutput, report: &PrivacyReport) -> Vec<String> {
    let mut lines =
        vec![format!("Research {}: {}", report.id, text::line(&report.question, LINE_CHARACTERS_MAX))];
    if report.contacts.is_empty() {
        lines.push("Nobody was contacted for it.".to_owned());
    }
    for kind in contacts::ContactKind::ALL {
        let of_kind: Vec<&Contact> = report.contacts.iter().filter(|contact| contact.kind == kind).collect();
        if of_kind.is_empty() {
            continue;
        }
        lines.push(String::new());
        lines.push(output.style_out(Tone::Strong, kind.title()));
        lines.push(output.fit_out(&format!("  sent: {}", kind.sent()), 2));
        lines.extend(of_kind.iter().take(HOSTS_SHOWN_MAX).map(|contact| output.fit_out(&row(contact), 4)));
        if let Some(more) = of_kind.len().checked_sub(HOSTS_SHOWN_MAX).filter(|more| *more > 0) {
            lines.push(format!("  and {more} more; `--json` lists them"));
        }
        if kind == contacts::ContactKind::Search {
            let queries = report.queries.iter().take(QUERIES_SHOWN_MAX);
            lines.extend(queries.map(|query| output.fit_out(&format!("    “{query}”"), 4)));
        }
    }
    lines
}

fn row(contact: &Contact) -> String {
    let name = contact.name.as_deref().map(|name| format!(" ({name})")).unwrap_or_default();
    let requests = format::count(u64::from(contact.requests), "request", "requests");
    let here = if contact.is_here { ", on this machine" } else { "" };
    let basis = if contact.is_from_journal { "" } else { ", host as set today" };
    format!("  {}{name}: {requests}{here}{basis}", contact.host)
}
