//! `probity runs steer`: tells a research under way what to do otherwise. Its driver, in whatever process, heeds it at its
//! next step.

use clap::Args;
use probity_research::{
    Code, CodedError, RunId, RunState,
    inquiry::{FacetId, SteeringNote},
    text,
};

use crate::{
    app_context::AppContext,
    command_context::CommandContext,
    command_error::CommandError,
    exit::Exit,
    identify::identify,
    settings::raw::RawSettings,
    source_arguments::{page_address, sites},
    wire::ResearchDocument,
};

/// Longest line on a part or a note.
const LINE_CHARACTERS_MAX: usize = 300;

#[derive(Debug, Args)]
pub struct SteerArguments {
    /// An id, the beginning of one, or `last`
    #[arg(value_name = "ID", add = crate::tab_completion::run_id_candidates())]
    pub id: String,
    /// Look into this as well
    #[arg(long, value_name = "QUESTION", conflicts_with_all = ["drop", "ban_site", "page", "finish"])]
    pub add: Option<String>,
    /// Search no further for this part, such as F2
    #[arg(long, value_name = "PART", conflicts_with_all = ["ban_site", "page", "finish"])]
    pub drop: Option<String>,
    /// Read and cite no more pages of this site
    #[arg(long, value_name = "DOMAIN", conflicts_with_all = ["page", "finish"])]
    pub ban_site: Option<String>,
    /// Read this page next
    #[arg(long, value_name = "URL", conflicts_with = "finish")]
    pub page: Option<String>,
    /// Search no further and write from what there is
    #[arg(long)]
    pub finish: bool,
    /// Print exactly one JSON document on stdout
    #[arg(long)]
    pub json: bool,
}

pub async fn run(context: &CommandContext, arguments: &SteerArguments) -> Result<Exit, CommandError> {
    let note = note(arguments)?;
    let settings = context.settings(RawSettings::default())?.settings;
    let app = AppContext::open(&settings, None)?;
    let id = identify(&app, &arguments.id)?;
    let summary = match &note {
        Some(note) => Box::pin(app.researches.steer(id, note.clone()))
            .await
            .map_err(|problem| refused(problem, note, id))?,
        None => app.summary(id)?,
    };
    if arguments.json {
        context.output.json(&ResearchDocument::of(&summary, None, Exit::Done))?;
        return Ok(Exit::Done);
    }
    match note {
        Some(note) => {
            context.output.print_message(&format!("{id}: {note}; this counts from its next step on"));
            if app.is_driven(&summary)? == Some(false) {
                let words = "nobody is driving this run at the moment";
                context.output.print_message(&format!("  {words}; `probity runs watch {id}` takes it up"));
            }
        }
        None => {
            let rows = rows(&app.researches.load(id).await?);
            let words = "it has no parts: only a research of the web engine with a model, of depth medium or deeper, is searched in parts";
            let text = if rows.is_empty() { format!("  {words}") } else { context.output.rows(&rows) };
            context.output.data(&text)?;
        }
    }
    Ok(Exit::Done)
}

/// The parts of the question while they are searched for, and what its user said.
pub fn rows(research: &RunState) -> Vec<(&'static str, String)> {
    let facets = if research.ending().is_none() { research.facets() } else { Vec::new() };
    let part = |facet: probity_research::inquiry::steering::FacetView| {
        let words = format!("{} ({}): {}", facet.id, facet.standing.as_str(), facet.question);
        ("part", text::line(&words, LINE_CHARACTERS_MAX))
    };
    let said = |note: &SteeringNote| ("said", text::line(&note.to_string(), LINE_CHARACTERS_MAX));
    facets.into_iter().map(part).chain(research.steering_notes().iter().map(said)).collect()
}

/// None where nothing is to be changed.
fn note(arguments: &SteerArguments) -> Result<Option<SteeringNote>, CommandError> {
    if let Some(question) = &arguments.add {
        return Ok(Some(SteeringNote::AddFacet { question: question.trim().to_owned() }));
    }
    if let Some(part) = &arguments.drop {
        let facet = FacetId::parse(part).ok_or_else(|| {
            let message = format!("--drop is `{}`, which is no part", text::line(part, 80));
            CommandError::new(Code::InvalidArguments, &message).with_hint(format!(
                "write it like `--drop F2`; `probity runs steer {}` lists them",
                arguments.id
            ))
        })?;
        return Ok(Some(SteeringNote::DropFacet { facet }));
    }
    if let Some(site) = &arguments.ban_site {
        let named = sites("--ban-site", std::slice::from_ref(site))?;
        return Ok(named.first().map(|site| SteeringNote::ban_site(site)));
    }
    if let Some(url) = &arguments.page {
        page_address(url)?;
        return Ok(Some(SteeringNote::AddPage { url: url.trim().to_owned() }));
    }
    Ok(arguments.finish.then_some(SteeringNote::FinishNow))
}

fn refused(problem: CodedError, note: &SteeringNote, id: RunId) -> CommandError {
    if problem.code != Code::InvalidArguments {
        return CommandError::from(problem).with_run_id(id);
    }
    let hint = match note {
        SteeringNote::FinishNow => {
            format!("follow it with `probity runs watch {id}`, or end it with `probity runs cancel {id}`")
        }
        SteeringNote::AddFacet { .. }
        | SteeringNote::DropFacet { .. }
        | SteeringNote::BanSite { .. }
        | SteeringNote::AddPage { .. } => {
            format!("nothing was changed; `probity runs steer {id}` lists its parts and what was said so far")
        }
    };
    CommandError::from(problem).with_hint(hint)
}

#[cfg(test)]
mod tests {
    use probity_research::inquiry::{FacetId, SteeringNote};

    use super::{SteerArguments, note};

    fn arguments() -> SteerArguments {
        SteerArguments {
            id: "last".to_owned(),
            add: None,
            drop: None,
            ban_site: None,
            page: None,
            finish: false,
            json: false,
        }
    }

    #[test]
    fn each_flag_is_one_note() {
        let some = |text: &str| Some(text.to_owned());
        let cases = [
            (
                SteerArguments { add: some(" who paid? "), ..arguments() },
                SteeringNote::AddFacet { question: "who paid?".to_owned() },
            ),
            (
                SteerArguments { drop: some("f2"), ..arguments() },
                SteeringNote::DropFacet { facet: FacetId(2) },
            ),
            (
                SteerArguments { ban_site: some("WWW.Example.org"), ..arguments() },
                SteeringNote::BanSite { site: "example.org".to_owned() },
            ),
            (
                SteerArguments { page: some("https://example.org/a"), ..arguments() },
                SteeringNote::AddPage { url: "https://example.org/a".to_owned() },
            ),
            (SteerArguments { finish: true, ..arguments() }, SteeringNote::FinishNow),
        ];
        for (asked, expected) in cases {
            assert_eq!(note(&asked).unwrap(), Some(expected));
        }
        assert_eq!(note(&arguments()).unwrap(), None);
    }

    #[test]
    fn what_names_no_part_site_or_page_is_refused_with_an_example() {
        for asked in [
            SteerArguments { drop: Some("the second".to_owned()), ..arguments() },
            SteerArguments { ban_site: Some("nowhere".to_owned()), ..arguments() },
            SteerArguments { page: Some("file:///etc/passwd".to_owned()), ..arguments() },
        ] {
            let refused = note(&asked).unwrap_err();
            assert!(refused.hint.contains("write it like"), "{}", refused.hint);
        }
    }
}
