//! The key is nowhere: not on a pipe, not in a file, not in a command line, not in an environment that does not hand
//! it to the Gemini CLI, however a search in rounds ends and whichever engine answers. Yields a figure.
#![cfg(target_os = "linux")]
#![expect(clippy::disallowed_methods, reason = "the test starts a process to be found")]

use std::{
    collections::{BTreeMap, BTreeSet},
    fs,
    path::{Path, PathBuf},
    process::Command,
    sync::{
        LazyLock, Mutex,
        atomic::{AtomicBool, Ordering},
    },
    thread,
    time::{Duration, SystemTime},
};

use serde_json::json;

use crate::{
    child::{fake_cli, files, processes_of},
    client::{Client, Era},
    harness::{World, figure, finish, gemini_cli, id_in, side_by_side, sized, wait_until},
};

/// New in each run, so that nothing on this machine holds it by chance.
static KEY: LazyLock<String> =
    LazyLock::new(|| format!("AIzaSyCANARY{:016x}{:07x}", random(), random() & 0xfff_ffff));
/// Stands in variables of the server that no child may have.
static OTHER: LazyLock<String> = LazyLock::new(|| format!("OTHERSECRET{:016x}", random()));
/// The variable that hands the key over.
const HANDING_OVER: &str = "GEMINI_API_KEY";

/// Longer than any search takes, three tries with their pauses on a crowded machine.
const CALL_LIMIT: Duration = Duration::from_secs(180);

/// Ends that take a second or two.
const ENDS: &[&str] = &[
    "draft",
    "prose,corrected",
    "cut,corrected",
    "error-400",
    "error-400-key",
    "error-401",
    "error-403",
    "error-404",
    "error-429-daily",
    "error-503,draft",
    "empty",
    "invented",
];
/// Ends that take three tries with their pauses.
const SLOW_ENDS: &[&str] = &["error-429", "error-500", "error-503", "lost", "cut", "unsearched"];
/// What a user looks at afterwards.
const LOOKED_AT: &[&str] = &[
    "-vv runs show last --raw",
    "-vv runs show last --json",
    "-vv runs list --json",
    "-vv config show --origin",
    "-vv doctor",
];

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Ending {
    ToTheEnd,
    Cancelled,
    Killed,
}

#[derive(Debug, Clone)]
struct Story {
    /// Nothing for Google's API.
    cli: Option<PathBuf>,
    reuse: &'static str,
    ending: Ending,
    /// What the question asks of the scripted model, or of the misbehaving CLI.
    tag: String,
}

/// What was looked at, and where the key was.
#[derive(Debug, Default)]
struct Sightings {
    lines: BTreeSet<String>,
    bytes: usize,
    file_looks: usize,
    /// With their length and time.
    files: BTreeMap<PathBuf, (u64, Option<SystemTime>)>,
    process_looks: usize,
    /// Who has the key because it must.
    holders: BTreeSet<&'static str>,
}

fn random() -> u64 {
    getrandom::u64().unwrap()
}

/// As it is, backwards, in hexadecimal, and in base64 at each of the three places it can begin.
fn forms(secret: &str) -> Vec<String> {
    let hex: String = secret.bytes().map(|byte| format!("{byte:02x}")).collect();
    let mut forms = vec![secret.to_owned(), secret.chars().rev().collect(), hex.to_uppercase(), hex];
    for before in 0..3 {
        let encoded = base64(&["x".repeat(before).as_bytes(), secret.as_bytes()].concat());
        // The first and the last letters also depend on what stands beside it.
        forms.push(encoded[4..encoded.len() - 8].to_owned());
    }
    forms
}

fn base64(bytes: &[u8]) -> String {
    const LETTERS: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let mut out = String::new();
    for group in bytes.chunks(3) {
        let byte = |at: usize| u32::from(group.get(at).copied().unwrap_or(0));
        let bits = (byte(0) << 16) | (byte(1) << 8) | byte(2);
        for place in 0..4 {
            let letter = char::from(LETTERS[(bits >> (18 - 6 * place)) as usize & 63]);
            out.push(if place <= group.len() { letter } else { '=' });
        }
    }
    out
}

static FORMS: LazyLock<Vec<String>> =
    LazyLock::new(|| [&KEY, &OTHER].into_iter().flat_map(|secret| forms(secret)).collect());

fn is_in(bytes: &[u8]) -> bool {
    FORMS.iter().any(|form| bytes.windows(form.len()).any(|part| part == form.as_bytes()))
}

impl Sightings {
    fn look(&mut self, place: &str, bytes: &[u8]) {
        self.bytes += bytes.len();
        if is_in(bytes) {
            self.lines.insert(format!("in {place}"));
        }
    }

    /// Every file below the place that changed since the last look; those that go away meanwhile were looked at before
    /// or held nothing.
    fn look_at_files(&mut self, place: &Path) {
        self.file_looks += 1;
        for file in files(place) {
            let Ok(found) = fs::metadata(&file) else { continue };
            let stamp = (found.len(), found.modified().ok());
            if self.files.insert(file.clone(), stamp) == Some(stamp) {
                continue;
            }
            if is_in(&fs::read(&file).unwrap_or_default()) {
                self.lines.insert(format!("in the file {}", file.display()));
            }
        }
    }

    /// All of them once more, whatever their clocks say.
    fn look_at_all_files(&mut self, place: &Path) {
        self.files.values_mut().for_each(|stamp| stamp.1 = None);
        self.look_at_files(place);
    }

    /// Everything that was started for the place, but for the server, which was given the key.
    fn look_at_processes(&mut self, place: &Path, server: Option<u32>) {
        let own = server.map(|pid| fs::read(format!("/proc/{pid}/cmdline")).unwrap_or_default());
        for process in processes_of(place, server) {
            let (pid, words) = process.split_once(' ').unwrap();
            // A copy of the server that has not yet become the keeper is still the server; in the moment in which it
            // becomes it, it has no command line at all. It is seen again at the next look.
            let command = fs::read(format!("/proc/{pid}/cmdline")).unwrap_or_default();
            if command.is_empty() || own.as_ref() == Some(&command) {
                continue;
            }
            self.process_looks += 1;
            if is_in(words.as_bytes()) {
                self.lines.insert(format!("in a command line: {words}"));
            }
            let environment = fs::read(format!("/proc/{pid}/environ")).unwrap_or_default();
            for entry in environment.split(|byte| *byte == 0).filter(|entry| is_in(entry)) {
                if entry == format!("{HANDING_OVER}={}", *KEY).as_bytes() {
                    let keeper = words.contains(" keep ") && !words.contains(" --keeper ");
                    self.holders.insert(if keeper { "the keeper" } else { "the CLI" });
                } else {
                    let name = String::from_utf8_lossy(entry).split('=').next().unwrap().to_owned();
                    self.lines.insert(format!("in the variable {name} of {words}"));
                }
            }
        }
    }

    fn add(&mut self, other: Self, story: &Story) {
        self.lines.extend(other.lines.into_iter().map(|line| format!("{story:?}: {line}")));
        self.bytes += other.bytes;
        self.file_looks += other.file_looks;
        self.files.extend(other.files);
        self.process_looks += other.process_looks;
        self.holders.extend(other.holders);
    }
}

fn plan(real: Option<&PathBuf>) -> Vec<Story> {
    let slow = sized(&[][..], SLOW_ENDS);
    let mut plan = Vec::new();
    let mut add = |cli: Option<&PathBuf>, reuse, ending, tag: &str| {
        plan.push(Story { cli: cli.cloned(), reuse, ending, tag: tag.to_owned() });
    };
    let scripted = |turns: &str| format!("[[rounds key=k turns={turns} pages=numeric]]");
    let reuses = real.map(|real| {
        sized(vec!["pool"], vec!["pool", "spawn"]).into_iter().map(move |reuse| (Some(real), reuse))
    });
    for (cli, reuse) in reuses.into_iter().flatten().chain([(None, "pool")]) {
        slow.iter().chain(ENDS).for_each(|turns| add(cli, reuse, Ending::ToTheEnd, &scripted(turns)));
        [Ending::Cancelled, Ending::Killed]
            .into_iter()
            .for_each(|end| add(cli, reuse, end, &scripted("hang")));
    }
    // A CLI that says its key aloud, on both pipes.
    ["pool", "spawn"]
        .into_iter()
        .for_each(|reuse| add(Some(&fake_cli()), reuse, Ending::ToTheEnd, "[[fake tell-key]]"));
    plan
}

impl Story {
    /// The key, the loudest log, and variables of the server that are none of the child's business.
    fn variables(&self) -> Vec<(&'static str, String)> {
        let engine = if self.cli.is_some() { "gemini-cli" } else { "gemini-api" };
        let program = self.cli.clone().unwrap_or_else(|| PathBuf::from("/nonexistent/gemini"));
        vec![
            ("PROBITY_RESEARCH__ENGINE", engine.to_owned()),
            ("PROBITY_GEMINI_CLI__PROGRAM", program.display().to_string()),
            ("PROBITY_GEMINI_CLI__REUSE", self.reuse.to_owned()),
            ("PROBITY_MCP__CALL_WAIT", "170s".to_owned()),
            ("PROBITY_LOG", "trace".to_owned()),
            ("PATH", "/usr/local/bin:/usr/bin:/bin".to_owned()),
            (HANDING_OVER, KEY.clone()),
            ("GOOGLE_API_KEY", OTHER.clone()),
            ("AWS_SECRET_ACCESS_KEY", OTHER.clone()),
            ("NODE_OPTIONS_SECRET", OTHER.clone()),
        ]
    }

    /// Runs it with eyes on everything it leaves.
    fn run(&self) -> Sightings {
        let world = World::new();
        let place = world.home.path();
        let variables = self.variables();
        let borrowed: Vec<(&str, &str)> =
            variables.iter().map(|(name, value)| (*name, value.as_str())).collect();
        let mut command = world.command(&["-vv", "mcp"]);
        command.envs(borrowed.iter().copied());
        let mut client = Client::start(command, Era::Old);
        client.greet();
        let (server, over) = (client.pid(), AtomicBool::new(false));
        let mut seen = thread::scope(|scope| {
            let looking = scope.spawn(|| {
                let mut seen = Sightings::default();
                while !over.load(Ordering::Relaxed) {
                    seen.look_at_processes(place, Some(server));
                    seen.look_at_files(place);
                    // Files of the CLI that live for less hold what later ones hold too.
                    thread::sleep(Duration::from_millis(50));
                }
                seen
            });
            let said = self.search(client, &world);
            over.store(true, Ordering::Relaxed);
            let mut seen = looking.join().unwrap();
            seen.look("what the server says", said.as_bytes());
            seen
        });
        // What a killed server left, before anything has had the time to clean up.
        seen.look_at_all_files(place);
        for words in LOOKED_AT {
            let mut command = world.command(&words.split(' ').collect::<Vec<_>>());
            let shown = finish(command.envs(borrowed.iter().copied()).spawn().unwrap());
            seen.look(&format!("what `{words}` prints"), format!("{}{}", shown.out, shown.err).as_bytes());
        }
        seen.look_at_all_files(place);
        seen
    }

    /// Everything that the server said, on either pipe.
    fn search(&self, mut client: Client, world: &World) -> String {
        let call = client.begin_call("search", json!({ "query": format!("When did it run? {}", self.tag) }));
        if self.ending == Ending::ToTheEnd {
            client.answer_within(call, CALL_LIMIT).expect("no answer");
            return all_said(client);
        }
        wait_until("the provider to be asked", || world.ledger().turns_of("k").count() > 0);
        if self.ending == Ending::Killed {
            client.kill();
        } else {
            let id = id_in(&client.done("list_research", json!({})).to_string());
            client.done("cancel_research", json!({ "task_id": id }));
        }
        all_said(client)
    }
}

fn all_said(client: Client) -> String {
    let ended = client.end(CALL_LIMIT);
    assert!(ended.in_time, "the server does not end");
    ended.everything_said()
}

/// A key in a text, in other clothes, in a file and in a foreign environment must be found.
fn planted_keys_seen() -> usize {
    let key = KEY.as_str();
    let hex: String = key.bytes().map(|byte| format!("{byte:02x}")).collect();
    let planted = [
        format!("?key={key}&x=1"),
        format!("{{\"error\":\"API key {key} not valid\"}}"),
        format!("Basic {}", base64(format!("user:{key}").as_bytes())),
        hex,
        key.chars().rev().collect(),
    ];
    let mut seen = planted.iter().filter(|text| is_in(text.as_bytes())).count();
    let place = tempfile::tempdir().unwrap();
    fs::create_dir_all(place.path().join("deep/er")).unwrap();
    fs::write(place.path().join("deep/er/left.json"), format!("{{\"key\":\"{key}\"}}")).unwrap();
    let mut told = Sightings::default();
    told.look_at_files(place.path());
    seen += told.lines.len();
    let mut sleeper = Command::new("sleep");
    sleeper.arg("60").env_clear().env("HOME", place.path()).env("OTHER", OTHER.as_str());
    let mut sleeper = sleeper.spawn().unwrap();
    let mut told = Sightings::default();
    wait_until("a key in an environment", || {
        told.look_at_processes(place.path(), None);
        !told.lines.is_empty()
    });
    sleeper.kill().unwrap();
    sleeper.wait().unwrap();
    assert_eq!(seen + told.lines.len(), planted.len() + 2, "the check is blind");
    planted.len() + 2
}

#[test]
#[ignore = "takes minutes: run for its figure"]
fn the_key_is_nowhere_however_a_search_ends() {
    let real = gemini_cli();
    let planted = planted_keys_seen();
    let (plan, all) = (plan(real.as_ref()), Mutex::new(Sightings::default()));
    // Most of a story is waiting for the CLI; a process of it takes 250 MB.
    side_by_side(6, &plan, |story| {
        let seen = story.run();
        all.lock().unwrap().add(seen, story);
    });
    let all = all.into_inner().unwrap();
    let left_out = if real.is_some() { "" } else { "; the real CLI was left out: it is not installed" };
    let holders: Vec<&str> = all.holders.iter().copied().collect();
    figure("secrets", &format!("{} in {} stories", all.lines.len(), plan.len()));
    figure(
        "secrets.note",
        &format!(
            "{} kB of answers and log, {} looks at {} files, {} looks at processes. The key is in the environment of {} and \
             nowhere else: the keeper hands it on; none of Probity's other variables is there; control: {planted} of \
             {planted} planted keys were found{left_out}",
            all.bytes / 1024,
            all.file_looks,
            all.files.len(),
            all.process_looks,
            holders.join(" and ")
        ),
    );
    // A run in which nothing was looked at would find nothing.
    assert!(all.bytes > 0 && !all.files.is_empty() && all.process_looks > 0);
    assert_eq!(all.lines, BTreeSet::new());
}
