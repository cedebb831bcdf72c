//! The connection pool: limits, encryption, and the settings of every new connection.

use std::{sync::Arc, time::Duration};

use deadpool_postgres::{Hook, HookError, Manager, ManagerConfig, Pool, RecyclingMethod, Runtime};
use probity_research::error::{Code, CodedError};
use rustls::{ClientConfig, crypto::aws_lc_rs};
use rustls_platform_verifier::BuilderVerifierExt as _;
use secrecy::ExposeSecret as _;
use tokio_postgres::{Config, NoTls, config::Host};
use tokio_postgres_rustls::MakeRustlsConnect;

use super::PostgresSettings;

/// A server that does not even answer is given up after this.
const CONNECT_MAX: Duration = Duration::from_secs(4);
/// A connection whose other end vanished is noticed within about a minute.
const KEEPALIVE_IDLE: Duration = Duration::from_secs(20);
const KEEPALIVE_INTERVAL: Duration = Duration::from_secs(10);
const KEEPALIVE_RETRIES: u32 = 3;
/// Sent bytes without an acknowledgement mean that the other end is gone: sooner than any caller's timeout.
const UNCONFIRMED_MAX: Duration = Duration::from_secs(20);
/// No statement of ours takes longer unless something is wrong, no lock lasts longer, and no client leaves a
/// transaction open. An append that returned is on disk. Compiling a statement takes longer than any of ours.
const SESSION: &str = "SET synchronous_commit = on; SET statement_timeout = '15s'; SET lock_timeout = '3s'; \
                       SET idle_in_transaction_session_timeout = '15s'; SET timezone = 'UTC'; \
                       SET client_min_messages = warning; SET jit = off";

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Encryption {
    None,
    Checked,
}

/// The pool, and the host and database for messages.
pub(super) fn build_pool(settings: &PostgresSettings) -> Result<(Pool, String), CodedError> {
    let (config, encryption) = read_url(settings.url.expose_secret())?;
    let place = place(&config);
    let manager_config = ManagerConfig { recycling_method: RecyclingMethod::Fast };
    let manager = match encryption {
        Encryption::None => Manager::from_config(config, NoTls, manager_config),
        Encryption::Checked => Manager::from_config(config, tls()?, manager_config),
    };
    let tell = Hook::async_fn(|client: &mut deadpool_postgres::ClientWrapper, _| {
        Box::pin(async move { client.batch_execute(SESSION).await.map_err(HookError::Backend) })
    });
    let pool = Pool::builder(manager)
        .max_size(settings.connections_max.max(1))
        .runtime(Runtime::Tokio1)
        .post_create(tell)
        .build()
        .map_err(|error| CodedError::new(Code::Settings, &format!("the pool cannot be built: {error}")))?;
    Ok((pool, place))
}

/// `verify-full` and `require` mean the same here: an encrypted connection to a server that proves its name.
fn read_url(url: &str) -> Result<(Config, Encryption), CodedError> {
    let checked = ["verify-full", "verify-ca", "require"];
    let encryption = match checked.iter().any(|mode| url.contains(&format!("sslmode={mode}"))) {
        true => Encryption::Checked,
        false => Encryption::None,
    };
    let plain =
        url.replace("sslmode=verify-full", "sslmode=require").replace("sslmode=verify-ca", "sslmode=require");
    // The parser's message may repeat a part of the URL, and with it the password.
    let mut config: Config = plain.parse().map_err(|_| {
        CodedError::new(
            Code::Settings,
            "`fleet.database` is not a PostgreSQL URL such as `postgresql://user@host/name`",
        )
    })?;
    if config.get_application_name().is_none() {
        config.application_name("probity");
    }
    config
        .connect_timeout(CONNECT_MAX)
        .keepalives_idle(KEEPALIVE_IDLE)
        .keepalives_interval(KEEPALIVE_INTERVAL)
        .keepalives_retries(KEEPALIVE_RETRIES)
        .tcp_user_timeout(UNCONFIRMED_MAX);
    Ok((config, encryption))
}

fn tls() -> Result<MakeRustlsConnect, CodedError> {
    let unusable = |error: rustls::Error| {
        CodedError::new(Code::Settings, &format!("the certificates of this machine cannot be used: {error}"))
    };
    let config = ClientConfig::builder_with_provider(Arc::new(aws_lc_rs::default_provider()))
        .with_safe_default_protocol_versions()
        .map_err(unusable)?
        .with_platform_verifier()
        .map_err(unusable)?
        .with_no_client_auth();
    Ok(MakeRustlsConnect::new(config))
}

fn place(config: &Config) -> String {
    let hosts: Vec<String> = config
        .get_hosts()
        .iter()
        .map(|host| match host {
            Host::Tcp(name) => name.clone(),
            #[cfg(unix)]
            Host::Unix(path) => path.display().to_string(),
        })
        .collect();
    format!("{}/{}", hosts.join(","), config.get_dbname().unwrap_or_default())
}

#[cfg(test)]
mod tests {
    use super::{Encryption, place, read_url};

    #[test]
    fn the_url_says_whether_the_connection_is_encrypted() {
        let encryption = |url: &str| read_url(url).unwrap().1;
        assert_eq!(encryption("postgresql://anna@db.example.org/library"), Encryption::None);
        assert_eq!(encryption("postgresql://anna@db.example.org/library?sslmode=disable"), Encryption::None);
        for mode in ["require", "verify-ca", "verify-full"] {
            let url = format!("postgresql://anna@db.example.org/library?sslmode={mode}");
            assert_eq!(encryption(&url), Encryption::Checked, "{mode}");
        }
    }

    #[test]
    fn nothing_that_is_shown_has_the_password() {
        let (config, _) = read_url("postgresql://anna:s3cret@one,two/library").unwrap();
        assert_eq!(place(&config), "one,two/library");
        assert!(!format!("{config:?}").contains("s3cret"));
        let refused = read_url("postgresql://anna:s3cret@[/library?nonsense=s3cret").unwrap_err();
        assert!(!refused.message.contains("s3cret"), "{}", refused.message);
    }
}
