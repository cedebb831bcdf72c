//! Log lines: to stderr, quiet by default; in the background to a file that cannot grow without end.

use std::{
    fs::{self, File, OpenOptions},
    io::{self, Write},
    os::unix::fs::OpenOptionsExt as _,
    path::Path,
    sync::{
        Arc,
        atomic::{AtomicU64, Ordering},
    },
};

use tracing_subscriber::{EnvFilter, fmt};

use crate::{
    environment::{self, Environment},
    output::Output,
};

/// Size of one log file of the background. Two are kept: the present one and the one before.
pub const LOG_BYTES_MAX: u64 = 1024 * 1024;
pub const LOG_FILE: &str = "drive.log";
const LOG_FILE_BEFORE: &str = "drive.log.1";

/// Quiet: what the engine warns about is told as part of the research. `-v` says what happens, `-vv` all.
fn filter(environment: &Environment, verbose: u8) -> EnvFilter {
    let chosen = environment.text(environment::LOG).unwrap_or_else(|| match verbose {
        0 => "warn,probity_models=error".to_owned(),
        1 => "warn,probity=info,probity_runner=info,probity_store=info,probity_models=info".to_owned(),
        _ => "info,probity=debug,probity_runner=debug,probity_store=debug,probity_models=debug".to_owned(),
    });
    EnvFilter::builder().parse_lossy(chosen)
}

pub fn to_stderr(environment: &Environment, verbose: u8, output: &Output) {
    let lines = output.log();
    let subscriber = fmt()
        .with_env_filter(filter(environment, verbose))
        .with_ansi(output.log_is_coloured())
        .with_target(false)
        .without_time()
        .with_writer(move || lines.clone())
        .finish();
    install(subscriber);
}

/// For the background: the file is begun anew when the last one is full.
pub fn to_file(environment: &Environment, directory: &Path) -> io::Result<()> {
    let path = directory.join(LOG_FILE);
    let size = fs::metadata(&path).map_or(0, |found| found.len());
    if size >= LOG_BYTES_MAX {
        fs::rename(&path, directory.join(LOG_FILE_BEFORE))?;
    }
    let file = OpenOptions::new().create(true).append(true).mode(0o600).open(&path)?;
    let left = Arc::new(AtomicU64::new(LOG_BYTES_MAX));
    let file = Arc::new(file);
    let subscriber = fmt()
        .with_env_filter(filter(environment, 1))
        .with_ansi(false)
        .with_target(false)
        .with_writer(move || Bounded { file: Arc::clone(&file), left: Arc::clone(&left) })
        .finish();
    install(subscriber);
    Ok(())
}

fn install(subscriber: impl tracing::Subscriber + Send + Sync + 'static) {
    // Only tests set one twice; the first stays.
    if tracing::subscriber::set_global_default(subscriber).is_err() {
        tracing::debug!("logging was set up before");
    }
}

/// One process writes this much and then no more: a loop of warnings must not fill the disk.
struct Bounded {
    file: Arc<File>,
    left: Arc<AtomicU64>,
}

impl Write for Bounded {
    fn write(&mut self, buffer: &[u8]) -> io::Result<usize> {
        let wanted = u64::try_from(buffer.len()).unwrap_or(u64::MAX);
        let taken =
            self.left.fetch_update(Ordering::Relaxed, Ordering::Relaxed, |left| left.checked_sub(wanted));
        match taken {
            Ok(_) => (&*self.file).write(buffer),
            Err(_) => Ok(buffer.len()),
        }
    }

    fn flush(&mut self) -> io::Result<()> {
        (&*self.file).flush()
    }
}
