//! One page's commands in their order: a home of their own, and an outside that is simulated.

use std::{collections::BTreeMap, path::Path, time::Duration};

use anyhow::{Context, bail};
use probity_simulator::{Simulator, SimulatorOptions, SmallWeb, TimeMode};
use tempfile::TempDir;
use tokio::runtime::Runtime;

use super::{DocsCommand, compare};
use crate::rig;

/// Longest that a documented command may take here; a hanging page is worse than a slow machine.
const COMMAND_TAKES_MAX: Duration = Duration::from_secs(90);
/// The pages that the demo shows: the book asks the same questions.
const WORLD: &str = "crates/probity/src/commands/demo/world.json";
/// Addresses that pages write and that are the simulator here.
const LOCAL_MODEL: &str = "http://localhost:11434";

pub struct DocsSession {
    home: TempDir,
    variables: BTreeMap<String, String>,
    simulator: Simulator,
    _runtime: Runtime,
}

impl DocsSession {
    pub fn open(program: &Path) -> anyhow::Result<Self> {
        let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(1).enable_all().build()?;
        let options =
            SimulatorOptions { time: TimeMode::Real { speed: 10.0 }, ..SimulatorOptions::default() };
        let simulator = runtime.block_on(Simulator::start(options))?;
        let world =
            std::fs::read_to_string(rig::repository().join(WORLD)).context("reading the demo's pages")?;
        simulator.handle().set_web(SmallWeb::from_json(&world)?);
        let home = tempfile::tempdir()?;
        let variables = variables(program, home.path(), simulator.base_url());
        Ok(Self { home, variables, simulator, _runtime: runtime })
    }

    pub fn write(&self, name: &str, text: &str) -> anyhow::Result<()> {
        if name.contains("..") || name.starts_with('/') {
            bail!("`{name}` is not inside the working directory");
        }
        let path = self.home.path().join(name);
        if let Some(parent) = path.parent() {
            std::fs::create_dir_all(parent)?;
        }
        Ok(std::fs::write(path, text)?)
    }

    /// What differs, if anything does.
    pub fn run(&mut self, command: &DocsCommand) -> anyhow::Result<Option<String>> {
        let typed = command.typed.replace(LOCAL_MODEL, self.simulator.base_url());
        if let Some(exported) = typed.strip_prefix("export ") {
            return self.export(exported);
        }
        let done = self.typed(&format!("exec 2>&1\n{typed}"))?;
        let printed = done.stdout.replace(self.simulator.base_url(), LOCAL_MODEL);
        let code = done.status.code().unwrap_or(-1);
        if !done.in_time {
            return Ok(Some(format!("took longer than {COMMAND_TAKES_MAX:?}")));
        }
        if code != command.exit {
            return Ok(Some(format!("ended with {code} instead of {}:\n{printed}", command.exit)));
        }
        let same = compare::fits(&command.expected, &printed);
        Ok((!same).then(|| format!("--- the page\n{}\n--- printed\n{printed}", command.expected.join("\n"))))
    }

    /// What a line for the shell comes to.
    pub fn typed(&self, line: &str) -> anyhow::Result<rig::ChildProcessOutput> {
        let mut shell = rig::command("sh");
        shell.args(["-c", line]).env_clear().envs(&self.variables).current_dir(self.home.path());
        rig::run(&mut shell, COMMAND_TAKES_MAX)
    }

    /// `NAME=value NAME=value`, for the commands that follow.
    fn export(&mut self, exported: &str) -> anyhow::Result<Option<String>> {
        for pair in exported.split('#').next().unwrap_or_default().split_whitespace() {
            let (name, value) = pair.split_once('=').with_context(|| format!("`{pair}` sets nothing"))?;
            self.variables.insert(name.to_owned(), value.trim_matches('"').to_owned());
        }
        Ok(None)
    }
}

/// Every way out leads to the simulator; keys are there only when a page sets them.
fn variables(program: &Path, home: &Path, base: &str) -> BTreeMap<String, String> {
    let here = base.trim_start_matches("http://");
    let search = format!("{base}/search-api");
    let bases: Vec<String> =
        ["tavily", "brave", "exa"].iter().map(|name| format!("{name}={search}/{name}")).collect();
    let folder = program.parent().map(|folder| folder.display().to_string()).unwrap_or_default();
    [
        ("HOME", home.display().to_string()),
        ("PATH", format!("{folder}:/usr/local/bin:/usr/bin:/bin")),
        ("DBUS_SESSION_BUS_ADDRESS", "unix:path=/nonexistent/bus".to_owned()),
        ("GOOGLE_GEMINI_BASE_URL", base.to_owned()),
        ("PROBITY_WEB__REACH", format!("*:80={here},{here}={here}")),
        ("PROBITY_WEB__ARCHIVE", "false".to_owned()),
        ("PROBITY_WEB__BROWSER", "off".to_owned()),
        (
            "PROBITY_SEARCH__BASES",
            format!(
                "{},tavily-keyless={search}/tavily,wikipedia={search}/wikipedia/{{language}}",
                bases.join(",")
            ),
        ),
    ]
    .into_iter()
    .map(|(name, value)| (name.to_owned(), value))
    .collect()
}
