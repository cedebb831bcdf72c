//! `probity fleet key`.

use clap::{Args, Subcommand};
use probity_research::{Code, ports::Clock as _, principal::Principal, scope::KeyScopes};
use probity_runner::SystemClock;
use probity_store::postgres::{KeyId, NewKey};

use crate::{
    command_context::CommandContext, command_error::CommandError, exit::Exit, fleet, format,
    settings::Settings,
};

#[derive(Debug, Subcommand)]
pub enum KeyCommand {
    /// Make a key; it is shown once
    Make(KeyMakeArguments),
    /// List the keys of a tenant
    List { tenant: String },
    /// Let a key open nothing more, at once
    Revoke { tenant: String, key: String },
}

#[derive(Debug, Args)]
pub struct KeyMakeArguments {
    tenant: String,
    /// What it opens, separated by commas
    #[arg(long, default_value = "research:read,research:start,research:cancel")]
    scopes: String,
    /// When it ends by itself, such as 720h
    #[arg(long, value_name = "SPAN")]
    expires_in: Option<String>,
}

pub async fn run(
    context: &CommandContext,
    settings: &Settings,
    verb: &KeyCommand,
) -> Result<Exit, CommandError> {
    let postgres = fleet::postgres(context, settings).await?;
    match verb {
        KeyCommand::Make(arguments) => {
            let scopes = KeyScopes::parse(&arguments.scopes.replace(',', " "))?;
            let span = match &arguments.expires_in {
                None => None,
                Some(text) => Some(format::parse_span(text).ok_or_else(|| {
                    CommandError::new(
                        Code::Settings,
                        &format!("`{text}` is not a span of time, such as 720h"),
                    )
                })?),
            };
            let now = SystemClock::default().now();
            let expires_at =
                span.map(|span| now.plus_ms(i64::try_from(span.as_millis()).unwrap_or(i64::MAX)));
            let new = NewKey { tenant: Some(Principal::parse(&arguments.tenant)?), scopes, expires_at };
            let made = postgres.make_key(&new, fleet::random_bytes()?).await?;
            context.output.data(&made.reveal())?;
            context.output.print_message("Keep it now: it is not shown again.");
        }
        KeyCommand::List { tenant } => {
            let keys = postgres.keys(Some(&Principal::parse(tenant)?)).await?;
            let line = |key: &probity_store::postgres::KeyRow| {
                let state = match (key.revoked_at, key.expires_at) {
                    (Some(at), _) => format!("revoked {at}"),
                    (None, Some(at)) => format!("until {at}"),
                    (None, None) => "without end".to_owned(),
                };
                let used = key.last_used_on.as_deref().unwrap_or("never");
                format!("{}  {}  {state}, last used {used}", key.key.as_str(), key.scopes)
            };
            context.output.data(&keys.iter().map(line).collect::<Vec<_>>().join("\n"))?;
        }
        KeyCommand::Revoke { tenant, key } => {
            let id = KeyId::parse(key).ok_or_else(|| {
                CommandError::new(Code::NotFound, &format!("`{key}` is not the id of a key"))
            })?;
            postgres.revoke(Some(&Principal::parse(tenant)?), &id).await?;
            context.output.data(&format!("{key} opens nothing any more"))?;
        }
    }
    Ok(Exit::Done)
}
