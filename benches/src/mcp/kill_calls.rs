//! Kills `probity mcp` at the Nth system call of each kind while a client calls its tools, starts it again
//! and compares what the client had been told with what is true.

mod client;

use std::{path::Path, thread, time::Duration};

use anyhow::Context as _;

use self::client::{run_scenario, untrue_after};
use super::{
    malformed_input::finish,
    session::{McpSession, ProtocolEra},
};
use crate::{
    figure::{Figure, MeasurementSize},
    foundation::kill_sweep::{
        installed,
        judge::{DUPLICATE, UNTRUE, find_unstored, judge},
        memory_folder,
        program::{COMMAND_LIMIT, ForegroundRun, ProgramInstallation},
    },
    kill_harness::{
        KillTally,
        system_calls::{self, KillCount, KillPoint, KindCoverage},
        with_strace,
    },
    rig::SimulatorProcess,
};

const UNTRUE_NAME: &str = "told to an MCP client and untrue after a kill inside a call";
const TWICE_NAME: &str = "paid twice after a kill inside a call";
const SLACK: f64 = 1.3;
/// Above what a session under strace takes.
const SESSION_LIMIT: Duration = COMMAND_LIMIT;

/// What the client does when the kill comes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ToolCallScenario {
    Start,
    Cancel,
    Save,
}

impl ToolCallScenario {
    /// With its share of all points: most happens in a start.
    const ALL: [(Self, f64); 3] = [(Self::Start, 0.5), (Self::Cancel, 0.25), (Self::Save, 0.25)];

    /// What is in the store before; the research that the story is about, if there is one.
    fn prelude(self, program: &ProgramInstallation) -> anyhow::Result<Option<String>> {
        match self {
            Self::Start | Self::Save => {
                let before = program.run(&["research", "[[completed duration_ms=1]] before?", "--json"])?;
                let id = before.json().get("task_id").and_then(|id| id.as_str()).map(str::to_owned);
                Ok(Some(id.context("the prelude gave no id")?))
            }
            Self::Cancel => {
                let mut running = ForegroundRun::start(program, "[[cancel-ok duration_ms=2500]] why?")?;
                thread::sleep(Duration::from_millis(250));
                running.group.end()?;
                Ok(Some(running.id.clone()))
            }
        }
    }
}

pub fn measure(size: MeasurementSize) -> anyhow::Result<Vec<Figure>> {
    with_strace(&[UNTRUE_NAME, TWICE_NAME], size, |size| {
        let wanted = size.pick(25, 300);
        let simulator = SimulatorProcess::start(&[])?;
        let folder = memory_folder()?;
        let count = KillCount { wanted, slack: SLACK, kinds: KindCoverage::Some };
        let trial = |story, point: Option<&KillPoint>, place: &Path| one(story, point, &simulator, place);
        let mut told = system_calls::sweep(&ToolCallScenario::ALL, count, folder.path(), trial)?;
        find_unstored(&simulator, &mut told)?;
        let control = client::control(&simulator, &folder.path().join("control"))?;
        Ok(figures(&told, wanted, &control))
    })
}

fn figures(told: &KillTally, wanted: usize, control: &str) -> Vec<Figure> {
    let (kills, twice) = (told.kills, told.wrong(DUPLICATE));
    let wrong = told.all_wrong() - twice;
    let enough = kills >= wanted;
    let story = format!(
        "{} facts told; {} planned points were not reached; {control}",
        told.get("facts"),
        told.not_reached
    );
    let goal = format!("0, at least {wanted} points");
    let measured = format!("{wrong} of {kills} kill points");
    let paid = format!("{twice} of {kills} kill points, unknown shown = {}", told.get("unknown"));
    vec![
        Figure::judged(UNTRUE_NAME, enough && wrong == 0, measured, &goal).with_note(story),
        Figure::judged(TWICE_NAME, enough && twice == 0, paid, "0"),
    ]
}

/// One story with one kill: what was told must be true afterwards.
fn one(
    story: ToolCallScenario,
    point: Option<&KillPoint>,
    simulator: &SimulatorProcess,
    place: &Path,
) -> anyhow::Result<KillTally> {
    let program = installed(simulator, place)?;
    let about = story.prelude(&program)?;
    let options = system_calls::options(point, place);
    let session = McpSession::start(&mut program.traced(&options, &["mcp"]), ProtocolEra::Handshake)?;
    let mut facts = run_scenario(story, session, about.as_deref())?;
    facts.ids.extend(about);
    finish(&program)?;
    let mut tally = judge(&program, simulator, &facts.ids)?.into_tally();
    for line in untrue_after(&facts, &program)?.into_iter().chain(facts.panicked.clone()) {
        tally.fault(UNTRUE, line);
    }
    tally.count("facts", facts.count());
    let name = format!("{story:?} at {}", point.map(ToString::to_string).unwrap_or_default());
    Ok(tally.at(&name, facts.killed))
}
