//! `bare-engine worker` carries out empty durable steps; `bare-engine drive` starts many invocations and measures.
//!
//! It is what the fleet's figures are compared with: the engine and its SDK, nothing else. Words come in pairs
//! (`--count 1000`), so that no library is needed to read them.
#![expect(
    clippy::disallowed_methods,
    clippy::print_stdout,
    reason = "a measuring program: real clocks, its own tasks, one line of JSON on stdout"
)]

mod client;
mod drive;
mod process_sample;
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
        Some((mode, rest)) if mode == "register" => {
            runtime.block_on(drive::register(&ArgumentPairs::read(rest)?))
        }
        Some((mode, rest)) if mode == "drive" => {
            let report = runtime.block_on(drive::drive(&ArgumentPairs::read(rest)?))?;
            println!("{report}");
            Ok(())
        }
        Some((mode, rest)) if mode == "early" => {
            let report = runtime.block_on(drive::early(&ArgumentPairs::read(rest)?))?;
            println!("{report}");
            Ok(())
        }
        _ => Err("bare-engine worker|register|drive|early [--NAME VALUE]…".into()),
    }
}

/// `--name value` pairs.
pub struct ArgumentPairs(BTreeMap<String, String>);

impl ArgumentPairs {
    fn read(words: &[String]) -> Result<Self, BoxError> {
        let mut found = BTreeMap::new();
        let mut words = words.iter();
        while let Some(name) = words.next() {
            let name = name.strip_prefix("--").ok_or_else(|| format!("`{name}` is no --name"))?;
            let value = words.next().ok_or_else(|| format!("--{name} has no value"))?;
            found.insert(name.to_owned(), value.clone());
        }
        Ok(Self(found))
    }

    pub fn text(&self, name: &str) -> Result<&str, BoxError> {
        self.0.get(name).map(String::as_str).ok_or_else(|| format!("--{name} is missing").into())
    }

    pub fn number(&self, name: &str, otherwise: u64) -> Result<u64, BoxError> {
        let parse = |text: &String| text.parse().map_err(|_| format!("--{name} {text} is no number").into());
        self.0.get(name).map_or(Ok(otherwise), parse)
    }

    /// Words separated by commas; none when the name is not there.
    pub fn list(&self, name: &str) -> Vec<String> {
        let list = self.0.get(name).map(String::as_str).unwrap_or_default();
        list.split(',').filter(|word| !word.is_empty()).map(str::to_owned).collect()
    }
}
