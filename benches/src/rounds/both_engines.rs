//! The same question, the same scripted model, both engines, over MCP: the answers must be the same, apart from
//! fields that cannot be.

mod compare;

use std::{path::Path, time::Duration};

use anyhow::{Context as _, ensure};
use serde_json::{Value, json};

use self::compare::{OWN_FIELDS, differences};
use crate::{
    figure::{Figure, MeasurementSize},
    foundation::kill_sweep::{installed, memory_folder},
    mcp::session::{McpSession, ProtocolEra},
    output,
    rig::SimulatorProcess,
    rounds::real_cli::{self, RealCli},
};

const NAME: &str = "scripts that both engines answer alike over MCP";
const GOAL: &str = "all";
/// Far above what a search takes here; the CLI asks a busy service again and again before it gives up.
const ANSWER_LIMIT: Duration = Duration::from_secs(300);
/// A call waits for its end instead of handing out a task id.
const CALL_WAIT: &str = "280s";

/// What is asked, and what the model does.
#[derive(Debug, Clone, Copy)]
struct EngineScript {
    tool: &'static str,
    turns: &'static str,
    /// Whether a quick run can afford it.
    quick: bool,
}

const fn script(tool: &'static str, turns: &'static str, quick: bool) -> EngineScript {
    EngineScript { tool, turns, quick }
}

/// Every way an answer can go that both faces of the scripted model know.
const SCRIPTS: &[EngineScript] = &[
    script("search", "draft", true),
    script("search", "agreed", false),
    script("search", "prose,corrected", false),
    script("search", "unsearched", false),
    script("search", "error-401", true),
    script("search", "error-429-daily", false),
    script("deep_search", "draft,agreed", true),
    script("deep_search", "draft,unsure,agreed", true),
    script("deep_search", "prose,corrected,agreed", true),
    script("deep_search", "fenced,agreed", false),
    script("deep_search", "sloppy,agreed", false),
    script("deep_search", "cut,corrected,agreed", true),
    script("deep_search", "wrong-shape,corrected,agreed", false),
    script("deep_search", "draft,changed,changed", false),
    script("deep_search", "draft,changed,agreed", false),
    script("deep_search", "draft,invented", false),
    script("deep_search", "invented", false),
    script("deep_search", "obedient", false),
    script("deep_search", "unsearched", false),
    script("deep_search", "error-503,draft,agreed", false),
    script("deep_search", "draft,error-503,agreed", false),
    script("deep_search", "draft,error-401", true),
    script("deep_search", "error-400-key", false),
    script("deep_search", "error-403", false),
    script("deep_search", "error-500,draft,agreed", false),
    script("deep_search", "error-429,draft,agreed", false),
    script("deep_search", "silent,draft,agreed", false),
];

/// Differences that the provider makes, script by script: seen, told, and not counted.
const KNOWN: &[(&str, &str, &str)] = &[(
    "cut,corrected,agreed",
    "answer.metadata.rounds.0.sources_visited",
    "the API names a page only where the text cites it, and a text that breaks off cites fewer; the CLI names what its \
     searches found",
)];

pub fn measure(size: MeasurementSize) -> anyhow::Result<Vec<Figure>> {
    let Some(cli) = real_cli::installed() else {
        return Ok(vec![Figure::skipped(NAME, GOAL, real_cli::WHY_NOT)]);
    };
    let scripts: Vec<EngineScript> =
        SCRIPTS.iter().filter(|script| size == MeasurementSize::Full || script.quick).copied().collect();
    let folder = memory_folder()?;
    let mut api = EngineSide::open(ComparedEngine::Api, folder.path())?;
    let mut of_cli = EngineSide::open(ComparedEngine::Cli(&cli), folder.path())?;
    let mut unlike = Vec::new();
    let mut answers = Vec::new();
    for script in &scripts {
        output::progress(&format!("{} {}", script.tool, script.turns));
        let (ours, theirs) = (api.answer(script)?, of_cli.answer(script)?);
        let mut differing = differences(&ours, &theirs);
        differing.retain(|line| !is_known(script, line));
        if !differing.is_empty() {
            let name = format!("{} {}", script.tool, script.turns);
            output::progress(&format!("{name}:\n{}", differing.join("\n")));
            unlike.push(name);
        }
        answers.push(ours);
    }
    let control = control(&answers)?;
    let (alike, all) = (scripts.len() - unlike.len(), scripts.len());
    let apart =
        OWN_FIELDS.iter().map(|(field, why)| format!("{field} ({why})")).collect::<Vec<_>>().join(", ");
    let unlike = if unlike.is_empty() { String::new() } else { format!("unlike: {}; ", unlike.join("; ")) };
    let figure = Figure::judged(NAME, alike == all, format!("{alike} of {all}"), GOAL);
    let known = KNOWN.iter().map(|(turns, field, why)| format!("{field} of `{turns}`: {why}"));
    let known = known.collect::<Vec<_>>().join("; ");
    Ok(vec![figure.with_note(format!("{unlike}apart from {apart}, and words of the provider that are quoted in notes and problems; known: {known}; {control}"))])
}

fn is_known(script: &EngineScript, difference: &str) -> bool {
    let of_field = |field: &str| difference.strip_prefix(field).is_some_and(|rest| rest.starts_with(':'));
    KNOWN.iter().any(|(turns, field, _)| script.turns == *turns && of_field(field))
}

#[derive(Clone, Copy)]
enum ComparedEngine<'a> {
    Api,
    Cli(&'a RealCli),
}

/// One engine with a world of its own, so that both worlds can be scripted with the same words.
struct EngineSide {
    session: McpSession,
    _simulator: SimulatorProcess,
}

impl EngineSide {
    fn open(engine: ComparedEngine<'_>, folder: &Path) -> anyhow::Result<Self> {
        let simulator = SimulatorProcess::start(&[])?;
        let (name, place) = match engine {
            ComparedEngine::Api => ("gemini-api", folder.join("api")),
            ComparedEngine::Cli(_) => ("gemini-cli", folder.join("cli")),
        };
        let program = installed(&simulator, &place)?;
        let mut command = program.command(&["mcp"]);
        if let ComparedEngine::Cli(cli) = engine {
            command = cli.known_to(command);
        }
        command.env("PROBITY_RESEARCH__ENGINE", name).env("PROBITY_MCP__CALL_WAIT", CALL_WAIT);
        Ok(Self { session: McpSession::open(&mut command, ProtocolEra::Handshake)?, _simulator: simulator })
    }

    /// What the client is told: whether it is an error, and the answer's fields.
    fn answer(&mut self, script: &EngineScript) -> anyhow::Result<Value> {
        let EngineScript { tool, turns, .. } = script;
        let key = format!("{tool}-{}", turns.replace(',', "-"));
        // One host for all pages, which the CLI's own fetch can reach without looking a name up.
        let query = format!("When did the first one run? [[rounds key={key} turns={turns} pages=numeric]]");
        let answer = self.session.call(tool, &json!({ "query": query }), ANSWER_LIMIT)?;
        let result = answer.get("result").with_context(|| format!("{tool} says: {answer}"))?;
        let fields = result.get("structuredContent").with_context(|| format!("{tool} says: {answer}"))?;
        ensure!(fields.get("status") != Some(&json!("running")), "{tool} did not wait for its end: {answer}");
        Ok(json!({ "is_error": result.get("isError") == Some(&json!(true)), "answer": fields }))
    }
}

/// Different scripts must be seen to differ: the comparison that finds nothing may be blind.
fn control(answers: &[Value]) -> anyhow::Result<String> {
    let pairs: Vec<(&Value, &Value)> = answers.iter().zip(answers.iter().skip(1)).collect();
    let told_apart = pairs.iter().filter(|(one, other)| !differences(one, other).is_empty()).count();
    ensure!(
        told_apart == pairs.len(),
        "the comparison is blind: it told {told_apart} of {} apart",
        pairs.len()
    );
    Ok(format!("control: {told_apart} of {} pairs of different scripts are told apart", pairs.len()))
}
