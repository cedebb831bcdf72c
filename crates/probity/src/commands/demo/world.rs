//! The simulated providers of the demo: pages, searches and a model on loopback, and a temporary home
//! directory.

use std::{
    ffi::OsString,
    fs, io,
    path::{Path, PathBuf},
};

use probity_research::Code;
use probity_simulator::{Simulator, SimulatorOptions, SmallWeb};
use tempfile::TempDir;

use super::steps::{ANSWER, ANSWER_FILE};
use crate::{
    command_error::CommandError,
    environment::{self, Environment},
};

/// Public facts in our own words. Two pages disagree, one copies another, one tries to give orders.
const WORLD: &str = include_str!("world.json");

pub struct DemoWorld {
    simulator: Simulator,
    home: TempDir,
    variables: Vec<(&'static str, OsString)>,
}

impl DemoWorld {
    pub async fn start(environment: &Environment) -> Result<Self, CommandError> {
        let web = SmallWeb::from_json(WORLD).map_err(|error| {
            CommandError::new(Code::StoreFailed, "the demo's pages are unreadable").with_cause(&error)
        })?;
        let simulator =
            Simulator::start(SimulatorOptions::default()).await.map_err(|error| listen_error(&error))?;
        simulator.handle().set_web(web);
        let home = tempfile::Builder::new()
            .prefix("probity-demo-")
            .tempdir()
            .map_err(|error| write_error(&error))?;
        fs::write(home.path().join(ANSWER_FILE), ANSWER).map_err(|error| write_error(&error))?;
        let variables = variables(simulator.base_url(), home.path(), environment);
        Ok(Self { simulator, home, variables })
    }

    pub fn home(&self) -> &Path {
        self.home.path()
    }

    /// The whole environment of a command: nothing of the user's but the terminal's own variables.
    pub fn variables(&self) -> &[(&'static str, OsString)] {
        &self.variables
    }

    /// Stops the simulated providers and removes the directory.
    pub fn keep(self) -> PathBuf {
        drop(self.simulator);
        self.home.keep()
    }

    pub fn clear(self) {
        drop(self.simulator);
        let path = self.home.path().to_owned();
        if let Err(error) = self.home.close() {
            tracing::warn!(%error, path = %path.display(), "demo directory was not removed");
        }
    }
}

/// Settings that any user may set: they point every outgoing connection of the program at the simulator.
fn variables(base: &str, home: &Path, environment: &Environment) -> Vec<(&'static str, OsString)> {
    let here = base.trim_start_matches("http://");
    let search = format!("{base}/search-api");
    let mut variables: Vec<(&'static str, OsString)> = [
        ("PROBITY_WEB__REACH", format!("*:80={here},{here}={here}")),
        ("PROBITY_WEB__ARCHIVE", "false".to_owned()),
        ("PROBITY_WEB__BROWSER", "off".to_owned()),
        (
            "PROBITY_SEARCH__BASES",
            format!("tavily={search}/tavily,wikipedia={search}/wikipedia/{{language}}"),
        ),
        ("PROBITY_SEARCH__PROVIDERS", "tavily,wikipedia".to_owned()),
        ("TAVILY_API_KEY", "simulated".to_owned()),
        ("OPENAI_API_KEY", "simulated".to_owned()),
        ("PROBITY_CHAT__BASE_URL", format!("{base}/v1")),
        // A model name with a list price, and one that counts as remote.
        ("PROBITY_CHAT__MODEL", "gpt-5".to_owned()),
        ("PROBITY_CHAT__STANDS_FOR", "openai".to_owned()),
        ("PROBITY_BUDGET__MAX_USD", "1".to_owned()),
        ("PROBITY_NOTIFICATIONS__ENABLED", "false".to_owned()),
    ]
    .into_iter()
    .map(|(name, value)| (name, OsString::from(value)))
    .collect();
    let below = |name: &str| home.join(name).into_os_string();
    variables.extend([
        ("HOME", below("")),
        ("XDG_CONFIG_HOME", below("config")),
        ("XDG_DATA_HOME", below("data")),
        ("PATH", environment.path()),
    ]);
    variables.extend(environment::terminal_variables());
    variables
}

fn listen_error(error: &io::Error) -> CommandError {
    CommandError::new(Code::ListenFailed, "the demo could not listen on 127.0.0.1")
        .with_cause(error)
        .with_hint("the demo needs the loopback interface; no other network is used")
}

fn write_error(error: &io::Error) -> CommandError {
    CommandError::new(Code::OutputPath, "the demo could not write its temporary directory")
        .with_cause(error)
        .with_hint("name a directory that you may write with `TMPDIR=… probity demo`")
}
