//! The ways to misbehave.

use std::{
    io::{self, Write as _},
    process::{Command, Stdio},
    thread,
    time::Duration,
};

use tokio::signal::unix::{SignalKind, signal};

use crate::{GRANDCHILD, answer_writer, answer_writer::AnswerWriter, attack};

/// A gigabyte, in pieces of this size.
const FLOOD_PIECES: usize = 16 * 1024;
const PIECE_BYTES: usize = 64 * 1024;
/// Pieces of a long answer.
const PIECES: usize = 200;
/// How many grandchildren leave at once.
const STORM: usize = 20;

/// Does what the prompt asks for.
pub fn misbehave(prompt: &str, say: &dyn AnswerWriter) -> anyhow::Result<()> {
    let wish = requested_behaviour(prompt);
    let mut words = wish.split_whitespace();
    match words.next().unwrap_or("answer") {
        "ignore-term" => ignore_termination(),
        "leave" => spawn_grandchild(Stdio::null()).and_then(|()| answer_normally(say)),
        "leave-and-stay" => spawn_grandchild(Stdio::null()).and_then(|()| stay_silent()),
        "storm" => {
            for _ in 0..STORM {
                spawn_grandchild(Stdio::null())?;
            }
            stay_silent()
        }
        "hold-pipe" => spawn_grandchild(Stdio::inherit()).and_then(|()| answer_normally(say)),
        "flood" => flood(&mut io::stdout().lock(), b'\n'),
        "flood-errors" => flood(&mut io::stderr().lock(), b'\n'),
        "endless-line" => flood(&mut io::stdout().lock(), b'x'),
        "invalid-text" => {
            answer_writer::write_bytes(b"\xff\xfe not text \xc3\x28\n")?;
            answer_writer::write_bytes(
                b"{\"type\":\"message\",\"role\":\"assistant\",\"content\":\"a\xffb\"}\n",
            )?;
            say.finish()
        }
        "die" => std::process::exit(words.next().and_then(|code| code.parse().ok()).unwrap_or(1)),
        "silent" => stay_silent(),
        "drip" => drip(),
        "pieces" => {
            for number in 0..PIECES {
                say.write_text(&format!("{number} "))?;
                thread::sleep(Duration::from_millis(2));
            }
            say.finish()
        }
        "echo" => say.write_text(prompt).and_then(|()| say.finish()),
        "environment" => {
            let names: Vec<String> =
                std::env::vars_os().map(|(name, _)| name.to_string_lossy().into_owned()).collect();
            say.write_text(&names.join(" ")).and_then(|()| say.finish())
        }
        "tell-key" => {
            let key = std::env::var("GEMINI_API_KEY").unwrap_or_default();
            writeln!(io::stderr(), "the key is {key}")?;
            say.write_text(&key).and_then(|()| say.finish())
        }
        "process" => say.write_text(&std::process::id().to_string()).and_then(|()| say.finish()),
        "attack" => say.write_text(&attack::report(wish)).and_then(|()| say.finish()),
        _ => answer_normally(say),
    }
}

/// The text between `[[fake ` and `]]`.
fn requested_behaviour(prompt: &str) -> &str {
    let inner = prompt.split_once("[[fake ").and_then(|(_, rest)| rest.split_once("]]"));
    inner.map_or("answer", |(wish, _)| wish)
}

fn answer_normally(say: &dyn AnswerWriter) -> anyhow::Result<()> {
    say.write_text("fine").and_then(|()| say.finish())
}

/// What a grandchild does: moves to a session of its own, ignores signals, stays.
pub fn grandchild() -> anyhow::Result<()> {
    rustix::process::setsid()?;
    ignore_termination()
}

/// Starts a grandchild; `out` says whether it inherits our pipe.
fn spawn_grandchild(out: Stdio) -> anyhow::Result<()> {
    let mut command = Command::new(std::env::current_exe()?);
    command.arg(GRANDCHILD).stdin(Stdio::null()).stdout(out).stderr(Stdio::null()).spawn()?;
    Ok(())
}

/// Catches SIGTERM and ignores it.
fn ignore_termination() -> anyhow::Result<()> {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
    runtime.block_on(async {
        let mut term = signal(SignalKind::terminate())?;
        let mut interrupt = signal(SignalKind::interrupt())?;
        let mut hang_up = signal(SignalKind::hangup())?;
        loop {
            tokio::select! { _ = term.recv() => {} _ = interrupt.recv() => {} _ = hang_up.recv() => {} }
        }
    })
}

fn stay_silent() -> anyhow::Result<()> {
    loop {
        thread::sleep(Duration::from_secs(3_600));
    }
}

fn drip() -> anyhow::Result<()> {
    loop {
        answer_writer::write_bytes(b"x")?;
        thread::sleep(Duration::from_millis(20));
    }
}

/// A gigabyte. `end` is at the end of each piece: a line end, or one more character.
fn flood(out: &mut dyn io::Write, end: u8) -> anyhow::Result<()> {
    let mut piece = vec![b'x'; PIECE_BYTES - 1];
    piece.push(end);
    for _ in 0..FLOOD_PIECES {
        out.write_all(&piece)?;
    }
    Ok(())
}
