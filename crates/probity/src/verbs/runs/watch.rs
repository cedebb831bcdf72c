//! `probity runs watch`: follows one research until it ends, and drives it if nobody else does.

use clap::Args;
use probity_research::plan::EngineName;

use crate::{
    context::Context,
    desk::Desk,
    exit::Exit,
    failure::Failure,
    identify::identify,
    keys::Keys,
    settings::written::RawSettings,
    starting::stay,
    telling::{self, Form},
};

#[derive(Debug, Args)]
pub struct WatchArguments {
    /// An id, the beginning of one, or `last`
    #[arg(default_value = "last", value_name = "ID", add = crate::completing::researches())]
    pub id: String,
    /// Print exactly one JSON document on stdout
    #[arg(long)]
    pub json: bool,
    /// Print one typed JSON line per change on stdout, the result as the last
    #[arg(long, conflicts_with_all = ["json"])]
    pub stream_json: bool,
}

pub async fn run(context: &Context, arguments: &WatchArguments) -> Result<Exit, Failure> {
    let settings = context.settings(RawSettings::default())?.settings;
    let desk = Desk::open(&settings, Keys::read(&context.environment).ok())?;
    let id = identify(&desk, &arguments.id)?;
    let summary = desk.summary(id)?;
    let form = Form::of(arguments.json, false).or_stream(arguments.stream_json);
    if summary.status.is_final() {
        return telling::tell_end(&context.output, &desk, &summary, form).await;
    }
    let of_web = summary.engine == EngineName::Web.as_str();
    if !desk.drives.can(if of_web { EngineName::Web } else { EngineName::GeminiApi }) {
        context
            .output
            .say("note: there is no API key here, so this only watches; another Probity must drive it");
    }
    let budget = desk.budget(id).await?;
    stay(context, &desk, &summary, budget, form).await
}
