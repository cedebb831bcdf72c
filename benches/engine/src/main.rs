//! `bare-engine worker` carries out empty durable steps; `bare-engine drive` starts many invocations and measures.
//!
//! It is what the fleet's figures are compared with: the engine and its SDK, nothing else. Words come in pairs
//! (`--count 1000`), so that no library is needed to read them.
#![expect(
    clippy::disallowed_methods,
    clippy::print_stdout,
    reason = "a measuring program: real clocks, its own tasks, one line of JSON on stdout"
)]

mod drive;
mod service;

use std::{collections::BTreeMap, error::Error};

/// Whatever went wrong ends the program with its text.
pub type BoxError = Box<dyn Error + Send + Sync>;

fn main() -> Result<(), BoxError> {
    let words: Vec<String> = std::env::args().skip(1).collect();
    let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build()?;
    match words.split_first() {
        Some((mode, rest)) if mode == "worker" => {
            runtime.block_on(service::serve(&ArgumentPairs::read(rest)?))
        }
        Some((mode, rest)) if mode == "drive" => {
            let report = runtime.block_on(drive::drive(&ArgumentPairs::read(rest)?))?;
            println!("{report}");
            Ok(())
        }
        _ => Err("bare-engine worker|drive [--NAME VALUE]…".into()),
    }
}

/// `--name value` pairs.
pub struct ArgumentPairs(BTreeMap<String, String>);

impl ArgumentPairs {
    fn read(words: &[String]) -> Result<Self, BoxError> {
        let pair = |pair: &[String]| match pair {
            [name, value] => Ok((name.trim_start_matches("--").to_owned(), value.clone())),
            _ => Err(format!("{pair:?} has no value").into()),
        };
        Ok(Self(words.chunks(2).map(pair).collect::<Result<_, BoxError>>()?))
    }

    pub fn text(&self, name: &str) -> Result<&str, BoxError> {
        self.0.get(name).map(String::as_str).ok_or_else(|| format!("--{name} is missing").into())
    }

    pub fn number(&self, name: &str) -> Result<u64, BoxError> {
        Ok(self.text(name)?.parse().map_err(|_| format!("--{name} is no number"))?)
    }
}
