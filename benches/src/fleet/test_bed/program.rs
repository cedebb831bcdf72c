//! Our own program in its two roles, with the settings of the stand.

use std::{
    path::{Path, PathBuf},
    process::Command,
    time::Duration,
};

use anyhow::{Context, bail};

use super::{
    FleetTestBedOptions,
    network::SHARED_ADDRESS,
    process::{ProcessNetwork, ProcessRecipe},
};
use crate::rig::{self, ChildProcessOutput};

/// Migrations and single commands; far above what they take.
const COMMAND_MAX: Duration = Duration::from_secs(60);

const MIGRATE_ATTEMPTS: usize = 4;

/// Where everything is.
#[derive(Debug, Clone)]
pub struct FleetAddresses {
    pub database: String,
    pub objects: String,
    /// One per engine node.
    pub ingress: Vec<String>,
    pub admin: String,
    pub provider: String,
    pub worker_port: u16,
}

/// The program as the stand starts it.
#[derive(Debug, Clone)]
pub struct FleetProgram {
    pub binary: PathBuf,
    pub addresses: FleetAddresses,
    folder: PathBuf,
    settings: Vec<(String, String)>,
}

impl FleetProgram {
    pub fn new(plan: &FleetTestBedOptions, folder: &Path, addresses: FleetAddresses) -> anyhow::Result<Self> {
        let binary = match &plan.program {
            Some(path) => path.clone(),
            None => rig::built("probity")?,
        };
        Ok(Self { binary, addresses, folder: folder.to_owned(), settings: plan.settings.clone() })
    }

    /// The tables, as an operator makes them.
    pub fn prepare_database(&self) -> anyhow::Result<()> {
        let mut last = String::new();
        // A machine that is busy with something else may not give a connection in time; repeating is safe.
        for _ in 0..MIGRATE_ATTEMPTS {
            let migrated = self.run(&["fleet", "migrate"])?;
            if migrated.status.success() {
                return Ok(());
            }
            last = migrated.stderr;
        }
        bail!("`fleet migrate`: {last}")
    }

    /// One command with the fleet's settings, to its end.
    pub fn run(&self, arguments: &[&str]) -> anyhow::Result<ChildProcessOutput> {
        let mut command: Command = rig::command(&self.binary);
        command.args(arguments).envs(self.environment_unchecked_because_the_queue_is_measured("command"));
        command.current_dir(&self.folder);
        rig::run(&mut command, COMMAND_MAX)
    }

    /// A tenant with limits of its own.
    pub fn tenant(&self, name: &str, limits: &[&str]) -> anyhow::Result<()> {
        let made = self.run(&[&["fleet", "tenant", "set", name], limits].concat())?;
        if made.status.success() { Ok(()) } else { bail!("`fleet tenant set {name}`: {}", made.stderr) }
    }

    /// A key of a tenant, as the operator gives it out.
    pub fn key(&self, tenant: &str, scopes: &str) -> anyhow::Result<String> {
        Ok(self.made_key(tenant, scopes, &[])?.0)
    }

    pub fn revoked_key(&self, tenant: &str, scopes: &str) -> anyhow::Result<String> {
        let (key, id) = self.made_key(tenant, scopes, &[])?;
        let revoked = self.run(&["fleet", "key", "revoke", tenant, &id])?;
        if revoked.status.success() { Ok(key) } else { bail!("`fleet key revoke`: {}", revoked.stderr) }
    }

    /// A key that was valid for a second.
    pub fn expired_key(&self, tenant: &str, scopes: &str) -> anyhow::Result<String> {
        let (key, _) = self.made_key(tenant, scopes, &["--expires-in", "1s"])?;
        std::thread::sleep(Duration::from_millis(1_500));
        Ok(key)
    }

    /// The key and the name under which it is listed.
    fn made_key(&self, tenant: &str, scopes: &str, more: &[&str]) -> anyhow::Result<(String, String)> {
        let made = self.run(&[&["fleet", "key", "make", tenant, "--scopes", scopes], more].concat())?;
        let words = made.stdout.split_whitespace();
        let key = words.into_iter().find(|word| word.starts_with("prb_"));
        let key = key.with_context(|| format!("`fleet key make`: {}{}", made.stdout, made.stderr))?;
        let id = key.split('_').nth(1).context("a key has its id in it")?;
        Ok((key.to_owned(), id.to_owned()))
    }

    pub fn worker(&self, number: usize, place: &ProcessNetwork, operations: u16) -> ProcessRecipe {
        let listen = format!("{}:{}", place.address(), self.addresses.worker_port);
        let name = format!("worker-{}", number + 1);
        let mut environment = self.environment_unchecked_because_the_queue_is_measured(&name);
        // On loopback all workers listen on the same port; in networks of their own they share an address.
        let shared = if *place == ProcessNetwork::Loopback { place.address() } else { SHARED_ADDRESS };
        let address = format!("http://{shared}:{}/", self.addresses.worker_port);
        environment.push(("PROBITY_FLEET__WORKER_ADDRESS".to_owned(), address));
        environment.push(watched(place, operations));
        ProcessRecipe {
            name,
            program: self.binary.clone(),
            arguments: vec!["worker".into(), "--listen".into(), listen.into()],
            environment,
            folder: self.folder.clone(),
            place: place.clone(),
        }
    }

    /// `port` for clients, `operations` for whoever watches it.
    pub fn front_end(
        &self,
        number: usize,
        place: &ProcessNetwork,
        port: u16,
        operations: u16,
    ) -> (ProcessRecipe, String) {
        let listen = format!("{}:{port}", place.address());
        let name = format!("front-end-{}", number + 1);
        let mut environment = self.environment_unchecked_because_the_queue_is_measured(&name);
        environment.push(watched(place, operations));
        if *place != ProcessNetwork::Loopback {
            // In a network of its own there is nobody else.
            environment.push(("PROBITY_SERVE__ALLOW_BEYOND_LOOPBACK".to_owned(), "true".to_owned()));
            environment.push(("PROBITY_SERVE__ALLOWED_HOSTS".to_owned(), place.address().to_owned()));
        }
        let recipe = ProcessRecipe {
            environment,
            name,
            program: self.binary.clone(),
            arguments: vec!["serve".into(), "--fleet".into(), "--listen".into(), listen.clone().into()],
            folder: self.folder.clone(),
            place: place.clone(),
        };
        (recipe, format!("http://{listen}"))
    }

    fn environment_unchecked_because_the_queue_is_measured(&self, name: &str) -> Vec<(String, String)> {
        let home = self.folder.join(name);
        // A home that cannot be made shows itself at once: the program says so.
        std::fs::create_dir_all(&home).ok();
        let home = home.display().to_string();
        let FleetAddresses { database, objects, admin, provider, .. } = &self.addresses;
        let ingress = self.addresses.ingress.join(",");
        let own = [
            ("PROBITY_FLEET__DATABASE", database.as_str()),
            ("PROBITY_FLEET__OBJECTS", objects),
            ("PROBITY_FLEET__ENGINE", &ingress),
            ("PROBITY_FLEET__ENGINE_ADMIN", admin),
            ("PROBITY_STORE__DIRECTORY", &home),
            ("HOME", &home),
            ("GEMINI_API_KEY", "simulated-key"),
            ("PROBITY_SEALING_KEY", "AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8="),
            ("GOOGLE_GEMINI_BASE_URL", provider),
            ("PROBITY_CHECKS__ENABLED", "false"),
            ("PROBITY_NOTIFICATIONS__ENABLED", "false"),
            ("NO_COLOR", "1"),
        ];
        let own = own.map(|(name, value)| (name.to_owned(), value.to_owned()));
        own.into_iter().chain(self.settings.iter().cloned()).collect()
    }
}

/// Where a process says whether it is ready, and how it is doing.
fn watched(place: &ProcessNetwork, port: u16) -> (String, String) {
    ("PROBITY_FLEET__METRICS_LISTEN".to_owned(), format!("{}:{port}", place.address()))
}
