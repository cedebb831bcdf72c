//! PostgreSQL of the stand: a cluster of its own in the stand's folder, killed and started again like the rest.

use std::{
    path::{Path, PathBuf},
    time::Duration,
};

use anyhow::{Context, bail};

use super::{
    database_session::DatabaseSession,
    free_ports::FreePorts,
    plain_http,
    process::{FleetProcess, ProcessNetwork, ProcessRecipe},
};
use crate::rig;

/// Recovery after a kill included.
const UP_MAX: Duration = Duration::from_secs(60);
const MAKING_MAX: Duration = Duration::from_secs(120);

pub struct TestDatabase {
    pub part: FleetProcess,
    pub url: String,
    session: DatabaseSession,
}

/// The newest installed version.
fn binaries() -> anyhow::Result<PathBuf> {
    let mut found: Vec<(u32, PathBuf)> = std::fs::read_dir("/usr/lib/postgresql")
        .context("PostgreSQL is not installed; run `just tools`")?
        .flatten()
        .filter_map(|entry| Some((entry.file_name().to_str()?.parse().ok()?, entry.path().join("bin"))))
        .filter(|(_, path): &(u32, PathBuf)| path.join("postgres").is_file())
        .collect();
    found.sort();
    found.pop().map(|(_, path)| path).context("PostgreSQL's server is not installed; run `just tools`")
}

/// The server refuses to run as root. The words before a program that run it as somebody else, if that is needed.
fn unprivileged_command(program: &Path) -> Vec<String> {
    let program = program.display().to_string();
    if rig::is_root() {
        // A change of user forgets who dies with whom.
        let words = [
            "setpriv",
            "--reuid=postgres",
            "--regid=postgres",
            "--clear-groups",
            "--pdeathsig=KILL",
            &program,
        ];
        words.map(str::to_owned).to_vec()
    } else {
        vec![program]
    }
}

impl TestDatabase {
    pub fn start(folder: &Path, place: ProcessNetwork, ports: &mut FreePorts) -> anyhow::Result<Self> {
        let binaries = binaries()?;
        let data = folder.join("postgres");
        std::fs::create_dir_all(&data)?;
        if rig::is_root() {
            let owned = rig::command("chown").arg("postgres:postgres").arg(&data).status()?;
            // The way to it must be open, too; the folder itself stays closed to reading.
            let opened = rig::command("chmod").arg("711").arg(folder).status()?;
            if !owned.success() || !opened.success() {
                bail!("the folder of the database could not be given to its user");
            }
        }
        make(&binaries, &data)?;
        if place != ProcessNetwork::Loopback {
            // A network of its own has no strangers; PostgreSQL lets only loopback in by itself.
            let path = data.join("pg_hba.conf");
            let known = std::fs::read_to_string(&path)?;
            std::fs::write(&path, known + "host all all 10.77.0.0/24 trust\n")?;
        }
        let port = ports.free()?;
        let words = unprivileged_command(&binaries.join("postgres"));
        let (program, rest) = words.split_first().context("no program")?;
        let mut arguments: Vec<std::ffi::OsString> = rest.iter().map(Into::into).collect();
        arguments.push("-D".into());
        arguments.push(data.clone().into());
        for setting in [
            format!("port={port}"),
            format!("listen_addresses={}", place.address()),
            format!("unix_socket_directories={}", data.display()),
            "max_connections=200".to_owned(),
            "shared_buffers=256MB".to_owned(),
        ] {
            arguments.push("-c".into());
            arguments.push(setting.into());
        }
        let url = format!("postgres://postgres@{}:{port}/postgres", place.address());
        let recipe = ProcessRecipe {
            name: "postgres".to_owned(),
            program: found(program)?,
            arguments,
            environment: Vec::new(),
            folder: folder.to_owned(),
            place,
        };
        let session = DatabaseSession::new(&url, binaries.join("psql"));
        let mut database = Self { part: FleetProcess::start(recipe)?, url, session };
        database.wait_until_up()?;
        Ok(database)
    }

    pub fn wait_until_up(&mut self) -> anyhow::Result<()> {
        if plain_http::until(UP_MAX, || self.ask("SELECT 1").is_ok_and(|answer| answer == "1")) {
            return Ok(());
        }
        bail!("PostgreSQL did not come up: {}", self.part.log_tail())
    }

    /// Asks from another thread.
    pub fn reader(&self) -> DatabaseSession {
        self.session.another()
    }

    /// One statement; rows as lines, columns separated by `|`.
    pub fn ask(&self, sql: &str) -> anyhow::Result<String> {
        self.session.ask(sql)
    }

    pub fn count(&self, sql: &str) -> anyhow::Result<u64> {
        self.session.count(sql)
    }
}

fn make(binaries: &Path, data: &Path) -> anyhow::Result<()> {
    let words = unprivileged_command(&binaries.join("initdb"));
    let (program, rest) = words.split_first().context("no program")?;
    let mut command = rig::command(program);
    command.args(rest).arg("-D").arg(data).args(["--auth=trust", "--username=postgres", "--encoding=UTF8"]);
    let made = rig::run(command.args(["--locale=C.UTF-8", "--no-instructions"]), MAKING_MAX)?;
    if made.status.success() { Ok(()) } else { bail!("initdb failed: {}{}", made.stdout, made.stderr) }
}

/// A recipe names programs in full.
fn found(program: &str) -> anyhow::Result<PathBuf> {
    if program.starts_with('/') {
        return Ok(PathBuf::from(program));
    }
    let place = ["/usr/bin", "/bin", "/usr/sbin", "/sbin"].map(|folder| Path::new(folder).join(program));
    place.into_iter().find(|path| path.is_file()).with_context(|| format!("`{program}` is not installed"))
}
