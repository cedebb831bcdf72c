//! The documentation does what it says: every command of every page is run against the real program, with an empty home
//! and a simulated outside, and what it prints is what the page shows. What commands print as JSON fits the published
//! schemas, by somebody else's validator.
//!
//! A block that cannot run here says why on the line before it: `<!-- not run: … -->`. Never rewrites a page.
#![expect(clippy::disallowed_methods, reason = "types commands")]

mod blocks;
mod compare;

use std::{
    collections::BTreeMap,
    fs,
    path::{Path, PathBuf},
    process::{Command, Stdio},
};

use blocks::{DocsBlockKind, DocsCommand};
use probity_simulator::SmallWeb;
use serde_json::Value;

use crate::harness::{CommandOutput, World, figure, finish};

/// Longest that a documented command may take here, in seconds; a hanging page is worse than a slow machine.
const COMMAND_SECONDS_MAX: &str = "90";
/// The pages that the demo shows: the book asks the same questions.
const WEB: &str = include_str!("../../src/commands/demo/world.json");
/// Addresses that pages write and that are the simulator here.
const LOCAL_MODEL: &str = "http://localhost:11434";
/// Pages that are made from the code; their blocks are help texts, not commands to type.
const GENERATED: [&str; 2] = ["docs/generated", "docs/errors"];

fn root() -> PathBuf {
    fs::canonicalize(Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")).unwrap()
}

/// Every page that people read and that is not made from the code.
fn pages() -> Vec<PathBuf> {
    let mut found = ["README.md", "PRIVACY.md", "SECURITY.md"].map(|name| root().join(name)).to_vec();
    let mut folders = vec![root().join("docs")];
    while let Some(folder) = folders.pop() {
        for path in fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()) {
            if path.is_dir() {
                folders.push(path);
            } else if path.extension().is_some_and(|extension| extension == "md") {
                found.push(path);
            }
        }
    }
    found.retain(|path| path.is_file() && !GENERATED.iter().any(|name| path.starts_with(root().join(name))));
    found.sort();
    found
}

/// One page's commands in their order.
struct DocsSession {
    world: World,
    variables: BTreeMap<String, String>,
}

impl DocsSession {
    /// Every way out leads to the simulator; keys are there only when a page sets them.
    fn open() -> Self {
        let world = World::new();
        world.handle().set_web(SmallWeb::from_json(WEB).unwrap());
        let base = world.base_url();
        let (here, search) = (base.trim_start_matches("http://"), format!("{base}/search-api"));
        let folder = Path::new(env!("CARGO_BIN_EXE_probity")).parent().unwrap().display();
        let bases = ["tavily", "brave", "exa"].map(|name| format!("{name}={search}/{name},")).concat();
        let variables = [
            ("HOME", world.home.path().display().to_string()),
            ("PATH", format!("{folder}:/usr/local/bin:/usr/bin:/bin")),
            ("DBUS_SESSION_BUS_ADDRESS", "unix:path=/nonexistent/bus".to_owned()),
            ("GOOGLE_GEMINI_BASE_URL", base.to_owned()),
            ("PROBITY_WEB__REACH", format!("*:80={here},{here}={here}")),
            ("PROBITY_WEB__ARCHIVE", "false".to_owned()),
            ("PROBITY_WEB__BROWSER", "off".to_owned()),
            (
                "PROBITY_SEARCH__BASES",
                format!("{bases}tavily-keyless={search}/tavily,wikipedia={search}/wikipedia/{{language}}"),
            ),
        ];
        let variables = variables.map(|(name, value)| (name.to_owned(), value)).into();
        Self { world, variables }
    }

    /// What a line for the shell comes to.
    fn typed(&self, line: &str) -> CommandOutput {
        let mut shell = Command::new("timeout");
        shell
            .args([COMMAND_SECONDS_MAX, "sh", "-c", line])
            .env_clear()
            .envs(&self.variables)
            .current_dir(self.world.home.path())
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped());
        finish(shell.spawn().unwrap())
    }

    /// What differs, if anything does.
    fn run(&mut self, command: &DocsCommand) -> Option<String> {
        let typed = command.typed.replace(LOCAL_MODEL, self.world.base_url());
        if let Some(exported) = typed.strip_prefix("export ") {
            // `NAME=value NAME=value`, for the commands that follow.
            for pair in exported.split('#').next().unwrap().split_whitespace() {
                let (name, value) = pair.split_once('=').unwrap();
                self.variables.insert(name.to_owned(), value.trim_matches('"').to_owned());
            }
            return None;
        }
        let done = self.typed(&format!("exec 2>&1\n{typed}"));
        let printed = done.out.replace(self.world.base_url(), LOCAL_MODEL);
        if done.code != command.exit {
            return Some(format!("ended with {} instead of {}:\n{printed}", done.code, command.exit));
        }
        let same = compare::fits(&command.expected, &printed);
        (!same).then(|| format!("--- the page\n{}\n--- printed\n{printed}", command.expected.join("\n")))
    }
}

#[test]
fn every_command_does_what_its_page_says() {
    let (mut blocks_run, mut commands_run, mut with_reason, mut wrong) = (0, 0, 0, Vec::new());
    for path in pages() {
        let blocks = blocks::read(&fs::read_to_string(&path).unwrap());
        let page = path.strip_prefix(root()).unwrap().display();
        let mut session = None;
        for block in blocks {
            match &block.kind {
                DocsBlockKind::Excused(_) => with_reason += 1,
                DocsBlockKind::Bare => wrong.push(format!("{page}:{}: no reason given", block.line)),
                DocsBlockKind::File(name) => {
                    session.get_or_insert_with(DocsSession::open).world.write(name, &block.text);
                }
                DocsBlockKind::Console(commands) => {
                    blocks_run += 1;
                    commands_run += commands.len();
                    let session = session.get_or_insert_with(DocsSession::open);
                    wrong.extend(commands.iter().filter_map(|command| {
                        let differs = session.run(command)?;
                        Some(format!("{page}:{}: $ {}\n{differs}", command.line, command.typed))
                    }));
                }
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n\n"));
    assert!(blocks_run >= 20, "{blocks_run}");
    figure(
        "docs",
        &format!(
            "{blocks_run} blocks ({commands_run} commands) run, {with_reason} with their reason, 0 wrong, 0 \
         without a reason"
        ),
    );
    let pages = pages().len();
    figure("docs.note", &format!("{pages} pages; the real program, an empty home, a simulated outside"));
}

const QUESTION: &str = "\"How tall is the Eiffel Tower, and when was it opened?\"";
const JSON: &str = "json.schema.json";
const STREAM: &str = "stream-json.schema.json";
/// A command after `probity`, and the schema of what it prints.
const PRINTED: [(&str, &str); 16] = [
    ("ask --json {q}", JSON),
    ("ask --stream-json {q}", STREAM),
    ("research --web --json {q}", JSON),
    ("research --web --stream-json {q}", STREAM),
    ("research --web --plan --json {q}", JSON),
    ("runs list --json", JSON),
    ("runs show last --json", JSON),
    ("runs show res_00000000000000000000000000000000 --json", JSON),
    ("doctor --json", JSON),
    ("config show --json", JSON),
    ("config get budget.max_usd --json", JSON),
    ("config set budget.max_usd 5 --json", JSON),
    ("config unset budget.max_usd --json", JSON),
    ("mcp install --client codex --yes --json", JSON),
    ("report last --format json --output -", "report.schema.json"),
    ("research --web --detach --json {q}", JSON),
];

/// Why documents, one a line, do not fit their schema; nothing where there is no validator.
fn misfits(session: &DocsSession, schema: &str, documents: &str) -> Option<Vec<String>> {
    session.world.write("documents", documents);
    let python = root().join(".tools/venv/bin/python");
    let mut command = Command::new(&python);
    command.arg(root().join("benches/checks/schemas/validate.py"));
    command.arg(root().join("docs/generated").join(schema));
    command.stdin(fs::File::open(session.world.home.path().join("documents")).unwrap());
    let there = Command::new(&python).args(["-c", "import jsonschema"]).output();
    there.ok().filter(|done| done.status.success())?;
    let done = command.output().unwrap();
    assert!(done.status.success(), "{}", String::from_utf8_lossy(&done.stderr));
    let said = String::from_utf8(done.stdout).unwrap();
    assert_eq!(said.lines().count(), documents.lines().count(), "{said}");
    Some(said.lines().filter(|why| !why.is_empty()).map(str::to_owned).collect())
}

#[test]
fn printed_documents_fit_their_published_schemas() {
    let session = DocsSession::open();
    // The validator must not be blind.
    let Some(planted) = misfits(&session, JSON, "{\"schema_version\":\"one\"}\n") else {
        figure("documents", "skipped: Python's jsonschema is not here: run `just tools`");
        return;
    };
    let rumours = misfits(&session, STREAM, "{\"type\":\"rumour\"}\n").unwrap();
    assert_eq!((planted.len(), rumours.len()), (1, 1));
    let mut documents = 0;
    for (typed, schema) in PRINTED {
        let done = session.typed(&format!("probity {}", typed.replace("{q}", QUESTION)));
        let lines = match schema {
            STREAM => done.out,
            // One document over several lines.
            _ => format!("{}\n", serde_json::from_str::<Value>(&done.out).expect(typed)),
        };
        documents += lines.lines().count();
        assert!(!lines.trim().is_empty(), "`{typed}` printed nothing: {}", done.err);
        assert_eq!(misfits(&session, schema, &lines), Some(Vec::new()), "{typed}");
    }
    figure("documents", &format!("{documents} of {documents} from {} commands", PRINTED.len()));
    figure(
        "documents.note",
        "Python's jsonschema; control: two documents that break their schemas are refused",
    );
}
