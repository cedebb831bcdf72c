//! PostgreSQL of the stand: a cluster of its own in the stand's folder, killed and started again like the rest.

use std::{
    ffi::OsString,
    path::{Path, PathBuf},
    sync::{Arc, Mutex, PoisonError},
    time::Duration,
};

use anyhow::{Context, bail};
use tokio::{runtime::Runtime, time::timeout};
use tokio_postgres::{Client, NoTls, SimpleQueryMessage, SimpleQueryRow};

use super::{
    plain_http,
    process::{FleetProcess, FreePorts, ProcessNetwork, ProcessRecipe},
};
use crate::rig;

/// Recovery after a kill included.
const UP_MAX: Duration = Duration::from_secs(60);
const CONNECT_MAX: Duration = Duration::from_secs(5);
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

/// The server refuses to run as root: what runs a program as somebody else, if that is needed. A change of user forgets
/// who dies with whom.
fn unprivileged(program: &Path) -> Vec<OsString> {
    let other =
        ["/usr/bin/setpriv", "--reuid=postgres", "--regid=postgres", "--clear-groups", "--pdeathsig=KILL"];
    let words = other.iter().filter(|_| rig::is_root()).map(Into::into);
    words.chain([program.into()]).collect()
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
        let mut arguments = unprivileged(&binaries.join("postgres"));
        let program = arguments.remove(0).into();
        arguments.extend(["-D".into(), data.clone().into()]);
        for setting in [
            format!("port={port}"),
            format!("listen_addresses={}", place.address()),
            format!("unix_socket_directories={}", data.display()),
            "max_connections=200".to_owned(),
            "shared_buffers=256MB".to_owned(),
        ] {
            arguments.extend(["-c".into(), setting.into()]);
        }
        let url = format!("postgres://postgres@{}:{port}/postgres", place.address());
        let recipe = ProcessRecipe {
            name: "postgres".to_owned(),
            program,
            arguments,
            environment: Vec::new(),
            folder: folder.to_owned(),
            place,
        };
        let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(1).enable_all().build()?;
        let session = DatabaseSession::new(&url, &Arc::new(runtime));
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
        DatabaseSession::new(&self.url, &self.session.runtime)
    }

    /// One statement; rows as lines, columns separated by `|`.
    pub fn ask(&self, sql: &str) -> anyhow::Result<String> {
        self.session.ask(sql)
    }

    pub fn count(&self, sql: &str) -> anyhow::Result<u64> {
        self.session.count(sql)
    }
}

/// Rows as lines, columns separated by `|`. Opens its connection again when the server was killed meanwhile.
pub struct DatabaseSession {
    url: String,
    runtime: Arc<Runtime>,
    open: Mutex<Option<Client>>,
}

impl DatabaseSession {
    fn new(url: &str, runtime: &Arc<Runtime>) -> Self {
        Self { url: url.to_owned(), runtime: Arc::clone(runtime), open: Mutex::new(None) }
    }

    pub fn ask(&self, sql: &str) -> anyhow::Result<String> {
        let mut open = self.open.lock().unwrap_or_else(PoisonError::into_inner);
        let taken = open.take();
        let asking = async {
            let client = match taken {
                Some(client) => client,
                None => timeout(CONNECT_MAX, self.connect()).await??,
            };
            let answer = client.simple_query(sql).await?;
            anyhow::Ok((client, answer))
        };
        let (client, answer) = self.runtime.block_on(asking)?;
        // Only a connection that answered well is gone on with.
        *open = Some(client);
        let text = |row: &SimpleQueryRow| {
            (0..row.len()).map(|column| row.get(column).unwrap_or_default()).collect::<Vec<_>>().join("|")
        };
        let rows = answer.iter().filter_map(|part| match part {
            SimpleQueryMessage::Row(row) => Some(text(row)),
            _ => None,
        });
        Ok(rows.collect::<Vec<_>>().join("\n"))
    }

    async fn connect(&self) -> anyhow::Result<Client> {
        let (client, connection) = tokio_postgres::connect(&self.url, NoTls).await?;
        // It ends when the client is dropped or the server is gone.
        self.runtime.spawn(connection);
        Ok(client)
    }

    pub fn count(&self, sql: &str) -> anyhow::Result<u64> {
        let answer = self.ask(sql)?;
        answer.parse().with_context(|| format!("`{sql}` answers `{answer}`"))
    }
}

fn make(binaries: &Path, data: &Path) -> anyhow::Result<()> {
    let words = unprivileged(&binaries.join("initdb"));
    let (program, rest) = words.split_first().context("no program")?;
    let mut command = rig::command(program);
    command.args(rest).arg("-D").arg(data).args(["--auth=trust", "--username=postgres", "--encoding=UTF8"]);
    let made = rig::run(command.args(["--locale=C.UTF-8", "--no-instructions"]), MAKING_MAX)?;
    if made.status.success() { Ok(()) } else { bail!("initdb failed: {}{}", made.stdout, made.stderr) }
}
