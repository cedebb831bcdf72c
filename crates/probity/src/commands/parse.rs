//! `probity parse`: reads hostile pages in a process that can reach nothing.
//!
//! Started by `probity_extract::Parser`, never by hand. Prints nothing but its answers: stdout belongs to them.

use std::{
    io::{stdin, stdout},
    process::ExitCode,
};

use crate::exit::Exit;

pub fn run() -> ExitCode {
    match probity_extract::serve(stdin().lock(), stdout().lock()) {
        Ok(()) => Exit::Done.into(),
        // Whoever asked sees that no answer came, and says so.
        Err(_) => Exit::Failed.into(),
    }
}
