//! `probity parse`: parses hostile pages in a process that can reach nothing.
//!
//! Started by `probity_extract::ParserPool`, never by hand. Prints nothing but its answers: stdout belongs to
//! them.

use std::{
    io::{stdin, stdout},
    process::ExitCode,
};

use crate::exit::Exit;

pub fn run() -> ExitCode {
    match probity_extract::serve(stdin().lock(), stdout().lock()) {
        Ok(()) => Exit::Done.into(),
        // The caller sees that no answer came, and reports it.
        Err(_) => Exit::Failed.into(),
    }
}
