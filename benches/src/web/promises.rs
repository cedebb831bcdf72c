//! Promises of the web engine that are tests of the crates they are about; their figures are what those tests print.

use probity_research::web::ProviderName;

use crate::{
    figure::{Figure, FigureVerdict, MeasurementSize},
    tested::{self, TestedFigure},
};

/// Checked against the program itself.
const REAL: [ProviderName; 1] = [ProviderName::Searxng];
/// Checked against a client that the provider publishes.
const CLIENTS: [ProviderName; 4] =
    [ProviderName::Tavily, ProviderName::TavilyKeyless, ProviderName::Brave, ProviderName::Exa];

const fn tested(
    test: &'static str,
    key: &'static str,
    name: &'static str,
    goal: &'static str,
) -> TestedFigure {
    TestedFigure { test, key, name, goal }
}

/// No attack reaches an internal address.
pub fn ssrf(size: MeasurementSize) -> anyhow::Result<Vec<Figure>> {
    let test = "ssrf::no_attack_reaches_an_address_that_is_not_the_open_web";
    tested::measure(&[tested(test, "ssrf", "SSRF: canary hits", "0, with every control seen")], size)
}

/// Answers and files made to take all memory or all time, and what a page that has taken over the parser can do.
pub fn bombs(size: MeasurementSize) -> anyhow::Result<Vec<Figure>> {
    let wire = "bombs::bombs_on_the_wire_end_in_time_and_within_memory";
    let pages = "page_bombs::a_bomb_costs_no_more_than_its_own_page";
    let control = "page_bombs::a_process_without_bounds_is_seen_and_ended";
    let inside = "confined::no_attack_from_inside_works";
    let (attacks, free) = (
        "attacks from inside the parsing process that work",
        "control: the same attacks without bounds that work",
    );
    let unbounded = "control: a process without bounds is seen and ended";
    let figures = [
        tested(wire, "bombs.wire", "bombs on the wire", "below 256 MiB, within the time limits, alive"),
        tested(pages, "bombs.harmed", "bombs that cost more than their own page", "0; the next page is read"),
        tested(pages, "bombs.late", "bombs past the time of a page", "0; ten seconds each"),
        tested(pages, "bombs.memory", "memory of the parsing process at its peak", "at most 256 MiB"),
        tested(control, "bombs.control", unbounded, "over 256 MiB, killed"),
        tested(inside, "inside.worked", attacks, "0"),
        tested(inside, "inside.free", free, "most of them"),
    ];
    tested::measure(&figures, size)
}

/// No page in the real Chromium reaches this machine.
pub fn browser(size: MeasurementSize) -> anyhow::Result<Vec<Figure>> {
    let test = "browser_attacks::no_page_in_the_real_chromium_reaches_this_machine";
    let name = "requests of hostile pages in the real Chromium that reached a canary on this machine";
    let goal = "0, with every page's script run and a bare Chromium hit by the same pages";
    tested::measure(&[tested(test, "browser.attacks", name, goal)], size)
}

/// The level for a table of goals.
pub fn strategy(size: MeasurementSize) -> anyhow::Result<Vec<Figure>> {
    let goals = "strategy::each_goal_gets_the_level_that_a_person_would_give_it";
    let held_out = "strategy::no_held_out_goal_that_needs_a_search_is_left_without_one";
    let fits = "strategy: goals that get the level, the numbers and a reason that fit";
    let languages = "all of at least 60, in four languages and two that the rules do not know";
    let alone = "strategy: held-out goals that needed a search and got none";
    let figures = [
        tested(goals, "strategy.goals", fits, languages),
        tested(goals, "strategy.planted", "strategy: a planted wrong row is seen", "1 seen"),
        tested(held_out, "strategy.held_out", alone, "0; the share is printed, not required"),
    ];
    tested::measure(&figures, size)
}

/// What we ask search providers is what their official clients ask; a real SearXNG is asked and understood; bills of
/// failed searches are true.
pub fn providers(size: MeasurementSize) -> anyhow::Result<Vec<Figure>> {
    let clients = "search_clients::we_ask_what_the_official_clients_ask";
    let searxng = "search_servers::a_real_searxng_is_asked_and_understood";
    let bills = "search_servers::a_failed_search_is_sent_once_and_billed_truly";
    let requests = "requests of ours against those of the official clients";
    let answers = "answers of the simulator read by the official clients";
    let controls = "8 of 8 planted differences and unreadable answers seen";
    let whole = "hits as its engine gives them, failed engines told, no JSON explained";
    let figures = [
        tested(clients, "clients.requests", requests, "no field differs in 18 requests"),
        tested(clients, "clients.answers", answers, "18 of 18"),
        tested(clients, "clients.controls", "control of the clients' check", controls),
        tested(searxng, "searxng", "a real SearXNG asked through our provider", whole),
        tested(bills, "bills", "bills of failed searches", "none"),
        tested(bills, "bills.control", "control of the bills' check", "3 of 3 planted faults seen"),
    ];
    let mut figures = tested::measure(&figures, size)?;
    figures.push(basis(&figures));
    Ok(figures)
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
