//! What we ask search providers is what their official clients ask; what a failed search says of its bill is true;
//! and a real SearXNG is asked and understood, also where its engines fail.

mod bills;
mod clients;
mod compare;
mod probity_search;
mod searxng;

use anyhow::Context;
use probity_research::web::ProviderName;
use probity_simulator::{Simulator, SimulatorOptions, SmallWeb, SmallWebPage};

use crate::figure::{Figure, FigureVerdict, MeasurementSize};

/// Checked against the program itself.
const REAL: [ProviderName; 1] = [ProviderName::Searxng];
/// Checked against a client that the provider publishes.
const CLIENTS: [ProviderName; 4] =
    [ProviderName::Tavily, ProviderName::TavilyKeyless, ProviderName::Brave, ProviderName::Exa];

pub fn measure(_: MeasurementSize) -> anyhow::Result<Vec<Figure>> {
    let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build()?;
    let simulator =
        runtime.block_on(Simulator::start(SimulatorOptions::default())).context("the simulator")?;
    simulator.handle().set_web(small_web());
    let mut figures = runtime.block_on(clients::measure(&simulator))?;
    figures.extend(runtime.block_on(searxng::measure(&simulator))?);
    figures.extend(runtime.block_on(bills::measure(&simulator))?);
    figures.push(basis(&figures));
    Ok(figures)
}

/// What the providers find.
fn small_web() -> SmallWeb {
    let page = |url: &str, title: &str, text: &str, date: &str| {
        SmallWebPage::new(url, title, text).published(date).in_language("en")
    };
    SmallWeb::new()
        .with(page(
            "http://energy.example/solar",
            "Solar panels in 2025",
            "The price of solar panels fell.",
            "2025-03-01",
        ))
        .with(page(
            "http://ads.energy.example/buy",
            "Buy solar panels",
            "Best price of solar panels!",
            "2025-04-01",
        ))
        .with(page("http://other.example/solar", "Solar panels elsewhere", "Panels of 2024.", "2024-03-01"))
        .with(page("http://other.example/fish", "Fish", "Nothing about energy.", "2025-03-01"))
}

/// Says of each provider what its check rests on. The rest rests on documentation and on the simulator's reading of it.
fn basis(figures: &[Figure]) -> Figure {
    let names = |list: &[ProviderName]| list.iter().map(|name| name.as_str()).collect::<Vec<_>>().join(", ");
    let documented: Vec<ProviderName> = ProviderName::ALL
        .into_iter()
        .filter(|name| !REAL.contains(name) && !CLIENTS.contains(name))
        .collect();
    let measured = |word: &str| {
        figures.iter().any(|figure| figure.name.contains(word) && figure.verdict == FigureVerdict::Ok)
    };
    let (real, clients) = (measured("SearXNG"), measured("official clients"));
    let state = |done: bool| if done { "" } else { " (not checked here)" };
    let told = format!(
        "real server{}: {}; official client{}: {}; documentation only: {}",
        state(real),
        names(&REAL),
        state(clients),
        names(&CLIENTS),
        names(&documented)
    );
    let counted = REAL.len() + CLIENTS.len() + documented.len();
    Figure::judged(
        "what the check of each provider rests on",
        counted == ProviderName::ALL.len(),
        told,
        "every provider is named once",
    )
}
