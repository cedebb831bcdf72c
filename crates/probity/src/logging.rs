//! Log lines: to stderr, quiet by default; in the background to a file of bounded size.
//!
//! The lines of rounds are a promise to users: on stderr they are bare, whatever the filter says.

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

use probity_research::{rounds::log_lines, text};
use tracing::{
    Event, Level, Subscriber,
    field::{Field, Visit},
};
use tracing_subscriber::{
    EnvFilter, Layer,
    filter::{FilterExt as _, filter_fn},
    fmt,
    layer::{Context, SubscriberExt as _},
    registry,
};

use probity_telemetry::{
    OtlpGuard, OtlpSettings,
    gen_ai::ContentCapture,
    otlp::{self, ServiceIdentity, otlp_layer},
};

use crate::{
    command_error::CommandError,
    environment::{self, Environment},
    output::ConsoleOutput,
};

/// Size of one log file of the background. Two are kept: the present one and the one before.
pub const LOG_BYTES_MAX: u64 = 1024 * 1024;
pub const LOG_FILE: &str = "drive.log";
/// Longest bare line: foreign text in it is cut much earlier.
const LINE_CHARACTERS_MAX: usize = 1_000;
const LOG_FILE_BEFORE: &str = "drive.log.1";

/// Quiet: what the engine warns about is shown as part of the run, and a fleet's engine warns of every wait.
/// `-v` logs what happens, `-vv` everything.
fn filter(environment: &Environment, verbose: u8) -> EnvFilter {
    let chosen = environment.text(environment::LOG).unwrap_or_else(|| match verbose {
        0 => "warn,restate_sdk=error,probity_models=error".to_owned(),
        1 => "warn,restate_sdk=error,probity=info,probity_runner=info,probity_store=info,probity_models=info"
            .to_owned(),
        _ => "info,probity=debug,probity_runner=debug,probity_store=debug,probity_models=debug".to_owned(),
    });
    EnvFilter::builder().parse_lossy(chosen)
}

pub fn to_stderr(environment: &Environment, verbose: u8, output: &ConsoleOutput) {
    install(registry().with(stderr_layer(environment, verbose, output)).with(plain_line_layer(output.log())));
}

/// The same, and to an OTLP collector where one is set: for the processes of a fleet. The guard sends the
/// last batches when it is dropped.
pub fn to_stderr_and_collector(
    environment: &Environment,
    verbose: u8,
    output: &ConsoleOutput,
    name: &'static str,
) -> Result<Option<OtlpGuard>, CommandError> {
    let instance = format!("{:032x}", crate::app_context::random_bits()?);
    let service = ServiceIdentity { name, version: env!("CARGO_PKG_VERSION"), instance };
    let settings = OtlpSettings::read(|variable| environment.text(variable), service)?;
    let Some(settings) = settings else {
        to_stderr(environment, verbose, output);
        return Ok(None);
    };
    let (collected, guard) = otlp_layer(&settings)?;
    install(
        registry()
            .with(collected)
            .with(stderr_layer(environment, verbose, output))
            .with(plain_line_layer(output.log())),
    );
    Ok(Some(guard))
}

/// Whether traces may contain questions and answers.
pub fn capture(environment: &Environment) -> ContentCapture {
    otlp::content_capture(environment.text(otlp::variable::CAPTURE_CONTENT))
}

fn stderr_layer<S>(environment: &Environment, verbose: u8, output: &ConsoleOutput) -> impl Layer<S> + use<S>
where
    S: Subscriber + for<'a> registry::LookupSpan<'a>,
{
    let lines = output.log();
    let others = filter_fn(|metadata| metadata.target() != log_lines::TARGET);
    fmt::layer()
        .with_ansi(output.log_is_coloured())
        .with_target(false)
        .without_time()
        .with_writer(move || lines.clone())
        .with_filter(filter(environment, verbose).and(others))
}

/// The lines of rounds as users know them: `[INFO] …` and `[ERROR] …`, without time or colour.
fn plain_line_layer<S, W>(writer: W) -> impl Layer<S>
where
    S: Subscriber + for<'a> registry::LookupSpan<'a>,
    W: Write + Clone + Send + Sync + 'static,
{
    PlainLineLayer { writer }.with_filter(filter_fn(|metadata| metadata.target() == log_lines::TARGET))
}

struct PlainLineLayer<W> {
    writer: W,
}

impl<S: Subscriber, W: Write + Clone + Send + Sync + 'static> Layer<S> for PlainLineLayer<W> {
    fn on_event(&self, event: &Event<'_>, _: Context<'_, S>) {
        let mut said = MessageVisitor::default();
        event.record(&mut said);
        let kind = if *event.metadata().level() == Level::ERROR { "ERROR" } else { "INFO" };
        let line = format!("[{kind}] {}\n", text::line(&said.message, LINE_CHARACTERS_MAX));
        // If stderr is closed, there is no reader.
        let _written = self.writer.clone().write_all(line.as_bytes());
    }
}

/// The message of an event.
#[derive(Default)]
struct MessageVisitor {
    message: String,
}

impl Visit for MessageVisitor {
    fn record_debug(&mut self, field: &Field, value: &dyn std::fmt::Debug) {
        if field.name() == "message" {
            self.message = format!("{value:?}");
        }
    }
}

/// For the background: a new file is begun when the last one is full.
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
        .with_writer(move || BoundedLogFile { file: Arc::clone(&file), left: Arc::clone(&left) })
        .finish();
    install(subscriber);
    Ok(())
}

fn install(subscriber: impl tracing::Subscriber + Send + Sync + 'static) {
    // Only tests set one twice; the first stays.
    if tracing::subscriber::set_global_default(subscriber).is_err() {
        tracing::debug!("logging was already set up");
    }
}

/// One process writes this much and then no more: a loop of warnings must not fill the disk.
struct BoundedLogFile {
    file: Arc<File>,
    left: Arc<AtomicU64>,
}

impl Write for BoundedLogFile {
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

#[cfg(test)]
mod tests {
    use std::{
        io::{self, Write},
        sync::{Arc, Mutex},
    };

    use probity_research::rounds::log_lines;
    use tracing_subscriber::{layer::SubscriberExt as _, registry};

    #[derive(Clone, Default)]
    struct CaptureBuffer(Arc<Mutex<Vec<u8>>>);

    impl Write for CaptureBuffer {
        fn write(&mut self, buffer: &[u8]) -> io::Result<usize> {
            self.0.lock().unwrap().write(buffer)
        }

        fn flush(&mut self) -> io::Result<()> {
            Ok(())
        }
    }

    #[test]
    fn lines_of_rounds_stand_bare_and_cannot_act_on_a_terminal() {
        let kept = CaptureBuffer::default();
        tracing::subscriber::with_default(registry().with(super::plain_line_layer(kept.clone())), || {
            tracing::info!(target: log_lines::TARGET, "Deep search round 2/5...");
            tracing::error!(target: log_lines::TARGET, "Round 2 failed: \u{1b}[2J\nforged");
            tracing::warn!("another line");
        });
        let written = String::from_utf8(kept.0.lock().unwrap().clone()).unwrap();
        assert_eq!(written, "[INFO] Deep search round 2/5...\n[ERROR] Round 2 failed: [2J forged\n");
    }
}
