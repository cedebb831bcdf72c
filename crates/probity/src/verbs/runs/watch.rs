//! `probity runs watch`: follows one research until it ends, and drives it if nobody else does.

use clap::Args;

use crate::{
    context::Context,
    desk::{self, Desk},
    exit::Exit,
    failure::Failure,
    identify::identify,
    settings::written::RawSettings,
    starting::stay,
    telling::{self, Form},
};

#[derive(Debug, Args)]
pub struct WatchArguments {
    /// An id, the beginning of one, or `last`
    #[arg(default_value = "last", value_name = "ID")]
    pub id: String,
    /// Print exactly one JSON document on stdout
    #[arg(long)]
    pub json: bool,
}

pub async fn run(context: &Context, arguments: &WatchArguments) -> Result<Exit, Failure> {
    let settings = context.settings(RawSettings::default())?.settings;
    let key = desk::key(&context.environment);
    let without_key = key.is_err();
    let desk = Desk::open(&settings, key.ok())?;
    let id = identify(&desk, &arguments.id)?;
    let summary = desk.summary(id)?;
    let form = Form::of(arguments.json, false);
    if summary.status.is_final() {
        return telling::tell_end(&context.output, &desk, &summary, form).await;
    }
    if without_key {
        context
            .output
            .say("note: there is no API key here, so this only watches; another Probity must drive it");
    }
    let budget = desk.budget(id).await?;
    stay(context, &desk, &summary, budget, form).await
}
