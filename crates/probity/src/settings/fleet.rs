//! Settings of a fleet: its database, objects, engine, tenants, and the issuers of accepted tokens.

use std::net::SocketAddr;

use probity_research::{Code, cost::MicroUsd, tenant::TenantQuota};
use secrecy::SecretString;

use crate::{
    command_error::CommandError,
    settings::{SettingsReader, raw::RawValue},
};

#[derive(Debug, Clone)]
pub struct FleetSettings {
    database: Option<SecretString>,
    pub connections: usize,
    pub objects: String,
    pub engine: String,
    pub engine_admin: String,
    pub worker_listen: SocketAddr,
    worker_address: String,
    pub metrics_listen: Option<SocketAddr>,
    pub in_flight_max: usize,
    /// The default quota of tenants.
    pub quota: TenantQuota,
    pub provider_calls_max: u32,
    pub provider_calls_per_second: u32,
    pub resource: String,
    pub oauth: Option<OauthSettings>,
    pub webhook_hosts: Vec<String>,
}

/// The issuers whose tokens are accepted.
#[derive(Debug, Clone)]
pub struct OauthSettings {
    pub issuer: String,
    pub tenant_claim: String,
}

impl FleetSettings {
    pub fn database(&self) -> Result<&SecretString, CommandError> {
        self.database.as_ref().ok_or_else(|| {
            CommandError::new(Code::Settings, "`fleet.database` is not set, so there is no fleet here")
                .with_hint("set PROBITY_FLEET__DATABASE to the address of its PostgreSQL, then run `probity fleet status`")
        })
    }

    /// How the engine reaches the workers.
    pub fn worker_address(&self) -> String {
        match self.worker_address.as_str() {
            "" => format!("http://{}", self.worker_listen),
            address => address.to_owned(),
        }
    }
}

pub(super) fn resolve(read: &SettingsReader<'_>) -> Result<FleetSettings, CommandError> {
    let text = |key: &str| Some(read.text(key)).filter(|text| !text.is_empty());
    let number = |key: &'static str| read.count(key).map(|count| u32::try_from(count).unwrap_or(u32::MAX));
    let hosts = read.raw.get("fleet.webhook_hosts").map(|written: &RawValue| written.texts.clone());
    Ok(FleetSettings {
        database: text("fleet.database").map(SecretString::from),
        connections: read.count("fleet.connections")?,
        objects: read.text("fleet.objects"),
        engine: read.text("fleet.engine"),
        engine_admin: read.text("fleet.engine_admin"),
        worker_listen: read.value("fleet.worker_listen", |text| text.parse().ok())?,
        worker_address: read.text("fleet.worker_address"),
        metrics_listen: read.optional("fleet.metrics_listen", |text| text.parse().ok())?,
        in_flight_max: read.count("fleet.in_flight_max")?,
        quota: TenantQuota {
            budget_per_day: read.optional("fleet.tenant_per_day_usd", MicroUsd::parse_usd)?,
            in_flight_max: number("fleet.tenant_in_flight_max")?,
            waiting_max: number("fleet.tenant_waiting_max")?,
            requests_per_second: number("fleet.tenant_requests_per_second")?,
            weight: 1,
        },
        provider_calls_max: number("fleet.provider_calls_max")?,
        provider_calls_per_second: number("fleet.provider_calls_per_second")?,
        resource: read.text("fleet.resource"),
        oauth: text("fleet.oauth_issuer")
            .map(|issuer| OauthSettings { issuer, tenant_claim: read.text("fleet.oauth_tenant_claim") }),
        webhook_hosts: hosts.unwrap_or_default().into_iter().filter(|host| !host.is_empty()).collect(),
    })
}
