//! `probity fleet tenant`.

use clap::{Args, Subcommand};
use probity_research::{Code, cost::MicroUsd, principal::Principal, tenant::Tenant};

use crate::{
    command_context::CommandContext, command_error::CommandError, exit::Exit, fleet, settings::Settings,
};

#[derive(Debug, Subcommand)]
pub enum TenantCommand {
    /// List tenants and what each may use
    List,
    /// Set a tenant up, or change what it may use
    Set(TenantSetArguments),
    /// Let a tenant start nothing more and close its keys; what is under way goes on
    Suspend { name: String },
    /// Let a suspended tenant go on, with the limits that it had
    Resume { name: String },
}

#[derive(Debug, Args)]
pub struct TenantSetArguments {
    /// 1 to 32 of a-z, 0-9 and -
    name: String,
    /// What it may spend within 24 hours, in US dollars
    #[arg(long, value_name = "USD")]
    per_day: Option<String>,
    /// Researches under way at once
    #[arg(long, value_name = "COUNT")]
    in_flight: Option<u32>,
    /// Researches that may wait for their turn
    #[arg(long, value_name = "COUNT")]
    waiting: Option<u32>,
    #[arg(long, value_name = "COUNT")]
    requests_per_second: Option<u32>,
    /// Its share beside others that wait too
    #[arg(long, value_name = "NUMBER")]
    weight: Option<u32>,
}

pub async fn run(
    context: &CommandContext,
    settings: &Settings,
    verb: &TenantCommand,
) -> Result<Exit, CommandError> {
    let postgres = fleet::postgres(context, settings).await?;
    match verb {
        TenantCommand::List => {
            let lines: Vec<String> = postgres.tenants().await?.iter().map(line).collect();
            context.output.data(&lines.join("\n"))?;
        }
        TenantCommand::Set(arguments) => {
            let name = Principal::parse(&arguments.name)?;
            let known = postgres.tenant(&name).await?;
            let mut tenant = known.unwrap_or(Tenant { name, quota: settings.fleet.quota, suspended: false });
            change(&mut tenant, arguments)?;
            postgres.put_tenant(&tenant).await?;
            context.output.data(&line(&tenant))?;
        }
        TenantCommand::Suspend { name } => {
            postgres.suspend(&Principal::parse(name)?).await?;
            context.output.data(&format!("{name} is suspended"))?;
        }
        TenantCommand::Resume { name } => {
            let name = Principal::parse(name)?;
            postgres.resume(&name).await?;
            let tenant = postgres.tenant(&name).await?;
            context.output.data(&tenant.as_ref().map(line).unwrap_or_default())?;
        }
    }
    Ok(Exit::Done)
}

fn change(tenant: &mut Tenant, arguments: &TenantSetArguments) -> Result<(), CommandError> {
    let quota = &mut tenant.quota;
    if let Some(text) = &arguments.per_day {
        let amount = MicroUsd::parse_usd(text).ok_or_else(|| {
            CommandError::new(
                Code::Settings,
                &format!("`{text}` is not an amount in US dollars, such as 2.50"),
            )
        })?;
        quota.budget_per_day = Some(amount);
    }
    quota.in_flight_max = arguments.in_flight.unwrap_or(quota.in_flight_max);
    quota.waiting_max = arguments.waiting.unwrap_or(quota.waiting_max);
    quota.requests_per_second = arguments.requests_per_second.unwrap_or(quota.requests_per_second);
    quota.weight = arguments.weight.unwrap_or(quota.weight).max(1);
    Ok(())
}

fn line(tenant: &Tenant) -> String {
    let quota = &tenant.quota;
    let money = quota.budget_per_day.map_or_else(|| "no limit".to_owned(), |amount| amount.to_string());
    format!(
        "{:<32} {money} a day, {} in flight, {} waiting, {} requests/s, weight {}{}",
        tenant.name.as_str(),
        quota.in_flight_max,
        quota.waiting_max,
        quota.requests_per_second,
        quota.weight,
        if tenant.suspended { ", suspended" } else { "" }
    )
}
