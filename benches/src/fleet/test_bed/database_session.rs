//! One open conversation with the database: asking often must not cost a new process each time.

use std::{
    io::{BufRead as _, BufReader, Write as _},
    path::PathBuf,
    process::{ChildStdin, ChildStdout, Stdio},
    sync::{Mutex, PoisonError},
};

use anyhow::{Context, bail};

use crate::rig::{self, ProcessGroup};

/// Said by `psql` behind every answer.
const END: &str = "-- that was all --";

/// Asks; opens the conversation again when the server was killed meanwhile.
pub struct DatabaseSession {
    url: String,
    psql: PathBuf,
    open: Mutex<Option<PsqlProcess>>,
}

struct PsqlProcess {
    _group: ProcessGroup,
    input: ChildStdin,
    output: BufReader<ChildStdout>,
}

impl DatabaseSession {
    pub fn new(url: &str, psql: PathBuf) -> Self {
        Self { url: url.to_owned(), psql, open: Mutex::new(None) }
    }

    /// Another conversation with the same database, for another thread.
    pub fn another(&self) -> Self {
        Self::new(&self.url, self.psql.clone())
    }

    /// One statement; rows as lines, columns separated by `|`.
    pub fn ask(&self, sql: &str) -> anyhow::Result<String> {
        let mut open = self.open.lock().unwrap_or_else(PoisonError::into_inner);
        let mut session = match open.take() {
            Some(session) => session,
            None => self.begin()?,
        };
        let answer = session.ask(sql)?;
        // Only a conversation that ended well is gone on with.
        *open = Some(session);
        Ok(answer)
    }

    pub fn count(&self, sql: &str) -> anyhow::Result<u64> {
        let answer = self.ask(sql)?;
        answer.parse().with_context(|| format!("`{sql}` answers `{answer}`"))
    }

    fn begin(&self) -> anyhow::Result<PsqlProcess> {
        let mut command = rig::command(&self.psql);
        command
            .args(["--no-psqlrc", "--quiet", "--tuples-only", "--no-align", "--set=ON_ERROR_STOP=1"])
            .arg(&self.url)
            .env("PGCONNECT_TIMEOUT", "5")
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::null());
        let mut group = ProcessGroup::spawn_talking(&mut command)?;
        let input = group.child.stdin.take().context("psql has no stdin")?;
        let output = BufReader::new(group.child.stdout.take().context("psql has no stdout")?);
        Ok(PsqlProcess { _group: group, input, output })
    }
}

impl PsqlProcess {
    fn ask(&mut self, sql: &str) -> anyhow::Result<String> {
        writeln!(self.input, "{sql};\n\\echo {END}")?;
        let mut answer = String::new();
        loop {
            let mut line = String::new();
            if self.output.read_line(&mut line)? == 0 {
                bail!("the database broke the conversation off");
            }
            if line.trim_end() == END {
                return Ok(answer.trim().to_owned());
            }
            answer.push_str(&line);
        }
    }
}
