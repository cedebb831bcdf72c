//! The simulator as a program: prints one JSON line with its address, then nothing until a signal.

mod output;

use std::{net::SocketAddr, path::PathBuf};

use anyhow::Context as _;
use clap::Parser;
use probity_simulator::{
    Reports, ResearchLimits, ResearchWorld, Scenario, SimulatorHandle, SmallWeb, TimeMode, WorldSettings,
    serve::serve,
};
use rustix::process::{Resource, getrlimit, setrlimit};
use tokio::{
    net::TcpListener,
    signal::unix::{SignalKind, signal},
};

/// The Interactions API on loopback, for tests and load figures.
#[derive(Debug, Parser)]
#[command(name = "probity-simulator")]
struct SimulatorArguments {
    /// Where to listen; port 0 takes a free one.
    #[arg(long, default_value = "127.0.0.1:0")]
    listen: SocketAddr,
    /// How many times faster than real time the world runs.
    #[arg(long, default_value_t = 1.0)]
    speed: f64,
    /// Scenario of creates that name none, with its keys: "slow duration_ms=5000".
    #[arg(long, default_value = "completed")]
    scenario: Scenario,
    /// Time passes only through POST /simulator/advance?ms=N.
    #[arg(long)]
    manual_time: bool,
    /// Other seed, other ids.
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// A JSON file with the pages of the small web.
    #[arg(long)]
    web: Option<PathBuf>,
    /// A JSON file with the texts that questions ask for by `[[report NAME]]`.
    #[arg(long)]
    reports: Option<PathBuf>,
    /// Serve the research world of this seed: its pages, and a model with a real model's limits.
    #[arg(long)]
    research_world: Option<u64>,
    /// The window of that model, in tokens.
    #[arg(long, requires = "research_world")]
    research_window: Option<u64>,
    /// How many tokens a second that model writes, one answer after the other; otherwise at once.
    #[arg(long, requires = "research_world")]
    research_tokens_per_second: Option<u64>,
}

/// One thread: thousands of requests a second fit, and the program under test keeps the other core.
#[tokio::main(flavor = "current_thread")]
async fn main() -> anyhow::Result<()> {
    let arguments = SimulatorArguments::parse();
    raise_open_files();
    let time =
        if arguments.manual_time { TimeMode::Manual } else { TimeMode::Real { speed: arguments.speed } };
    let settings = WorldSettings {
        default_scenario: arguments.scenario,
        seed: arguments.seed,
        ..WorldSettings::default()
    };
    let listener = TcpListener::bind(arguments.listen)
        .await
        .with_context(|| format!("could not listen on {}", arguments.listen))?;
    let mut terminate = signal(SignalKind::terminate())?;
    let mut interrupt = signal(SignalKind::interrupt())?;
    let research = arguments.research_world.map(ResearchWorld::seeded);
    output::ready(listener.local_addr()?, research.as_ref().map(|world| world.request.question.as_str()));
    let stop = async move {
        tokio::select! {
            _ = terminate.recv() => {}
            _ = interrupt.recv() => {}
        }
    };
    let handle = SimulatorHandle::new(settings, time);
    if let Some(path) = &arguments.web {
        let text = std::fs::read_to_string(path).with_context(|| format!("reading {}", path.display()))?;
        handle.set_web(SmallWeb::from_json(&text).with_context(|| format!("loading {}", path.display()))?);
    }
    if let Some(path) = &arguments.reports {
        let text = std::fs::read_to_string(path).with_context(|| format!("reading {}", path.display()))?;
        handle
            .set_reports(&Reports::from_json(&text).with_context(|| format!("loading {}", path.display()))?);
    }
    if let Some(world) = &research {
        let usual = ResearchLimits::default();
        let window_tokens = arguments.research_window.unwrap_or(usual.window_tokens);
        let tokens_per_second = arguments.research_tokens_per_second;
        handle.set_research_world(world, ResearchLimits { window_tokens, tokens_per_second, ..usual });
    }
    serve(listener, handle, stop).await?;
    Ok(())
}

/// Ten thousand streams need ten thousand descriptors; shells usually give a program a thousand of those
/// it may have.
fn raise_open_files() {
    let mut limit = getrlimit(Resource::Nofile);
    limit.current = limit.maximum;
    if let Err(error) = setrlimit(Resource::Nofile, limit) {
        debug_assert!(false, "raising a limit to its own maximum failed: {error}");
    }
}
