//! A small web with a search API and perhaps a chat model, and the program that is told to use them.

use std::process::{Child, Command};

use probity_simulator::{ChatLedger, Script, SmallWeb, SmallWebPage, WebLedger};
use serde_json::Value;

use crate::harness::{CommandOutput, World, document, finish};

/// Needs a search, and no tables to be understood.
pub const QUESTION: &str = "How long is the harbour bridge of Norwick and when did it open?";

/// Sites with a sentence each that answers the question; no two say it alike.
pub const PAGES: [(&str, &str, &str); 4] = [
    (
        "http://council.example/bridge",
        "Harbour bridge of Norwick",
        "The harbour bridge of Norwick is 412 metres long and carries two lanes of traffic.\n\n\
         The council looks after the bridge together with the port, which paints its railings every spring \
         and inspects the bearings below the deck every second autumn.",
    ),
    (
        "http://gazette.example/opening",
        "The day the Norwick bridge did open",
        "The harbour bridge of Norwick did open on 3 May 1987 before eleven thousand people.\n\n\
         A brass band played until the evening, and the ferry that had crossed the basin for ninety years \
         made its last journey under the new arches.",
    ),
    (
        "http://museum.example/norwick",
        "Norwick and its harbour",
        "Before the harbour bridge of Norwick could open, divers spent 14 months on its foundations.\n\n\
         The museum keeps the helmet of the first diver, a model of the caissons, and the ledger in which \
         every working day of the crew was written down.",
    ),
    (
        "http://engineers.example/steel",
        "Steel of the Norwick harbour bridge",
        "Engineers count 6200 tonnes of steel in the long harbour bridge of Norwick.\n\n\
         The plates were rolled in the valley, shipped down the river in barges, and riveted on the quay \
         by crews that worked in three shifts through two winters.",
    ),
];

/// What a research may cost here; more than it needs. Without it `budget.guard_usd` bounds it.
pub const BUDGET: &str = "PROBITY_BUDGET__MAX_USD";

/// Who searches, and who plans, reads and writes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Hands {
    /// No key of any kind, no model.
    Nothing,
    /// A paid search, and a paid model that is taken for one far away.
    Paid,
    /// A paid search, and a model on this machine.
    LocalModel,
}

pub struct Stage {
    pub world: World,
    hands: Hands,
}

impl Stage {
    pub fn new(hands: Hands) -> Self {
        Self::with(hands, norwick())
    }

    pub fn with(hands: Hands, web: SmallWeb) -> Self {
        let world = World::new();
        world.handle().set_web(web);
        Self { world, hands }
    }

    /// The model behaves so.
    pub fn scripted(self, script: Script) -> Self {
        self.world.handle().with_chat(|model, _| model.set_script(script));
        self
    }

    /// Everything that the program is told by its environment.
    pub fn variables(&self) -> Vec<(&'static str, String)> {
        let base = self.world.base_url();
        let tavily = format!("{base}/search-api/tavily");
        let mut variables = vec![
            ("GEMINI_API_KEY", String::new()),
            ("PROBITY_WEB__REACH", self.world.reach()),
            ("PROBITY_WEB__ARCHIVE", "false".to_owned()),
            ("PROBITY_WEB__BROWSER", "off".to_owned()),
            (
                "PROBITY_SEARCH__BASES",
                format!(
                    "tavily={tavily},tavily-keyless={tavily},wikipedia={base}/search-api/wikipedia/{{language}}"
                ),
            ),
        ];
        if self.hands == Hands::Nothing {
            return variables;
        }
        variables.extend([
            ("TAVILY_API_KEY", "tvly-simulated".to_owned()),
            ("OPENAI_API_KEY", "sk-simulated".to_owned()),
            ("PROBITY_CHAT__BASE_URL", format!("{base}/v1")),
            // A name with a price: that of the simulator's own bill.
            ("PROBITY_CHAT__MODEL", "gpt-5".to_owned()),
            (BUDGET, "1".to_owned()),
        ]);
        if self.hands == Hands::Paid {
            variables.push(("PROBITY_CHAT__STANDS_FOR", "openai".to_owned()));
        }
        variables
    }

    pub fn command(&self, arguments: &[&str]) -> Command {
        let mut command = self.world.command(arguments);
        command.envs(self.variables());
        command
    }

    pub fn start(&self, arguments: &[&str]) -> Child {
        self.command(arguments).spawn().unwrap()
    }

    pub fn run(&self, arguments: &[&str]) -> CommandOutput {
        finish(self.start(arguments))
    }

    #[track_caller]
    pub fn json(&self, arguments: &[&str]) -> Value {
        document(&self.run(arguments))
    }

    pub fn web(&self) -> WebLedger {
        self.world.handle().web_ledger()
    }

    pub fn chat(&self) -> ChatLedger {
        self.world.handle().chat_ledger()
    }

    /// How often each page was asked for; rules for robots are no pages.
    pub fn fetches(&self) -> Vec<(String, u64)> {
        let ledger = self.web();
        let pages = ledger.fetches().iter().filter(|(url, _)| !url.ends_with("/robots.txt"));
        pages.map(|(url, times)| (url.clone(), *times)).collect()
    }
}

pub fn norwick() -> SmallWeb {
    PAGES
        .iter()
        .fold(SmallWeb::new(), |web, (url, title, text)| web.with(SmallWebPage::new(url, title, text)))
}

/// The quotations of a brief with the numbers of their sources.
pub fn quotations(report: &str) -> Vec<(&str, usize)> {
    report.lines().filter_map(quotation).collect()
}

fn quotation(line: &str) -> Option<(&str, usize)> {
    let (quote, number) = line.strip_prefix("- “")?.rsplit_once("” [")?;
    Some((quote, number.strip_suffix(']')?.parse().ok()?))
}

/// The numbered lines below `## Sources`.
pub fn sources(report: &str) -> Vec<&str> {
    let (_, listed) = report.split_once("## Sources\n").unwrap_or_default();
    listed.lines().filter(|line| line.starts_with(|first: char| first.is_ascii_digit())).collect()
}
