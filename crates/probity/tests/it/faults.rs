//! A provider that accepts and says otherwise, or that never says anything readable: nothing is paid twice by itself,
//! and every run ends.

use std::{
    collections::BTreeMap,
    io,
    net::{Shutdown, TcpListener, TcpStream},
    path::Path,
    process::{Child, Stdio},
    thread,
    time::Duration,
};

use jiff::Timestamp;
use probity_testing::{figure_size::sized, stolen_time::measured_seconds};
use rustix::process::{Pid, Signal, kill_process};
use serde_json::{Value, json};

use crate::{
    client::{Client, Era},
    harness::{World, document, finish, wait_until},
};

/// The deadline of the runs that never get a readable answer.
const DEADLINE: Duration = Duration::from_secs(5);
/// A run ends at most this long after its deadline.
const ENDING_MAX: Duration = Duration::from_secs(5);
/// Such runs at a time.
const AT_ONCE: usize = 4;
/// The kind of fault that the network makes, not the provider: every connection after the first is refused.
const REFUSED: &str = "refused";
/// Shortest of the answers whose bodies are cut at every byte.
const BODY_BYTES: u32 = 70;

/// Statuses that are tried: all of them, or those that mean something and some that mean nothing.
fn statuses() -> Vec<u16> {
    let known = [400, 401, 402, 403, 404, 405, 408, 409, 413, 418, 422, 425, 429, 451, 499];
    let failing = [500, 501, 502, 503, 504, 507, 511, 520, 524, 529, 599];
    let some = [300, 301, 302, 303, 307, 308].into_iter().chain(known).chain(failing);
    sized(some.collect(), [301, 302, 307, 308].into_iter().chain(400..600).collect())
}

/// Every create here is accepted and billed, whatever its answer says. A 429 in the provider's own words is left out:
/// it is documented as a refusal before any work, and believed.
#[test]
fn a_create_that_was_billed_behind_any_answer_is_never_sent_again() {
    let mut questions: Vec<String> = Vec::new();
    for status in statuses() {
        questions.push(format!("[[create-billed status={status} html=true]] x"));
        if status != 429 {
            questions.push(format!("[[create-billed status={status}]] x"));
        }
    }
    let step = sized(7, 1);
    for cut in (0..BODY_BYTES).step_by(step) {
        for status in [400, 429, 503] {
            questions.push(format!("[[create-billed status={status} cut={cut}]] x"));
        }
    }
    questions.extend(["[[create-lost]] x", "[[create-html]] x"].map(str::to_owned));
    let world = World::new();
    let mut client = Client::open(&world, Era::Old, &[]);
    let mut shown: BTreeMap<String, usize> = BTreeMap::new();
    for question in &questions {
        let told = client.call("start_deep_research", json!({ "query": question }));
        let status = told["structuredContent"]["status"].as_str().unwrap_or_default().to_owned();
        let words = told.to_string();
        // These are what the provider sends when it has started nothing, whole and in its own words.
        let refusals = ["status=400]", "status=401]", "status=403]", "status=404]"];
        if !refusals.iter().any(|refusal| question.contains(refusal)) {
            assert!(words.contains("CREATE_UNCERTAIN"), "{question}: {words}");
            assert!(
                !words.contains("nothing paid") && !words.contains("nothing was billed"),
                "{question}: {words}"
            );
        }
        *shown.entry(status).or_default() += 1;
    }
    client.leave();
    // Another process finds nothing to do either.
    let resumed = world.run(&["runs", "resume"]);
    assert_eq!(resumed.code, 0, "{}", resumed.err);
    let ledger = world.ledger();
    let second = ledger.entries().len().saturating_sub(questions.len());
    eprintln!("figure: create.second {second} of {} creates that were accepted and billed", questions.len());
    eprintln!(
        "figure: create.second.note statuses 300 to 599 in JSON and HTML, bodies cut, answers lost; shown as {shown:?}"
    );
    assert_eq!((second, ledger.duplicates()), (0, Vec::new()));
    assert_eq!(ledger.entries().len(), questions.len(), "each was accepted once");
}

#[test]
fn a_run_that_can_never_be_read_ends_at_its_deadline_and_keeps_what_came() {
    measured_seconds("faults.ended", || {
        let kinds = [
            "html",
            "bad-gateway",
            "cut",
            "shape",
            "no-status",
            "other-id",
            "redirect",
            "lost",
            "hang",
            "drip",
            "endless",
            REFUSED,
        ];
        let world = World::new();
        let deadline = format!("{}s", DEADLINE.as_secs());
        // A store of its own: a process that reaches no provider would take up the runs of the others.
        let alone = World::new();
        let refusing = Forwarder::start(alone.base_url());
        let place = |kind: &str| if kind == REFUSED { &alone } else { &world };
        let start = |kind: &str| {
            let look = if kind == REFUSED { String::new() } else { format!(" look={kind}") };
            let question = format!("[[bad-look{look}]] {kind}");
            let mut command =
                place(kind).command(&["research", "--json", "--max-time", &deadline, &question]);
            if kind == REFUSED {
                command.env("GOOGLE_GEMINI_BASE_URL", &refusing.base_url);
            }
            (kind.to_owned(), command.spawn().unwrap())
        };
        let mut slowest = Duration::ZERO;
        // A few at a time: what is measured is the program, not how many of them the machine can bear.
        let batches =
            kinds.chunks(AT_ONCE).flat_map(|kinds| kinds.iter().map(|kind| start(kind)).collect::<Vec<_>>());
        for (kind, child) in batches {
            let done = finish(child);
            let ended = document(&done);
            let took = took(&ended);
            slowest = slowest.max(took.saturating_sub(DEADLINE));
            assert_eq!(ended["status"], "timed_out", "{kind}: {}", done.err);
            assert!(took <= DEADLINE + ENDING_MAX, "{kind} took {took:?}");
            assert_eq!((&ended["cost_usd"], &ended["report"]), (&Value::Null, &Value::Null), "{kind}");
            let words = ended["problem"]["message"].as_str().unwrap();
            assert!(words.contains("the last look failed: "), "{kind}: {words}");
            let raw = raw_of(place(&kind), ended["task_id"].as_str().unwrap());
            let kept = String::from_utf8_lossy(&raw);
            let (reason, bytes) = match kind.as_str() {
                "html" => ("cannot be read: it is not an interaction", "<!DOCTYPE html>"),
                "bad-gateway" => ("answered 502", "<!DOCTYPE html>"),
                "cut" => ("", "{\"id\":\"v1_"),
                "shape" => ("cannot be read: it is not an interaction", "[[1,2,3]]"),
                "no-status" => ("cannot be read: it has no status", "\"steps\":[]"),
                "other-id" => ("cannot be read: it is about another run", "Somebody else's report."),
                "redirect" => ("a redirect to elsewhere.example, which is not followed", "moved"),
                "drip" => ("did not", "{ { "),
                "endless" => ("", "          "),
                // Not one byte came.
                _ => ("", ""),
            };
            assert!(words.contains(reason), "{kind}: {words}");
            assert!(kept.starts_with(bytes) || kept.contains(bytes), "{kind}: kept {} bytes", raw.len());
            assert_eq!(raw.is_empty(), bytes.is_empty(), "{kind}: {words}");
        }
        let all = kinds.len();
        eprintln!("figure: faults.ended {all} of {all} within {} s of the deadline", ENDING_MAX.as_secs());
        eprintln!("figure: faults.ended.note the slowest took {:.1} s beyond it", slowest.as_secs_f64());
        assert_eq!(world.ledger().duplicates(), Vec::<String>::new());
    });
}

#[test]
fn a_report_that_is_too_large_is_cut_with_a_note_that_names_both_sizes() {
    let world = World::new();
    let done = world.run(&["research", "--json", "[[huge bytes=9000000]] large"]);
    let ended = document(&done);
    assert_eq!(ended["status"], "completed", "{}", done.err);
    let note = ended["note"].as_str().unwrap();
    let kept = ended["report"].as_str().unwrap().len();
    assert!(kept <= 8 * 1024 * 1024 && note.contains(" 8388608 "), "{kept} {note}");
    let id = ended["task_id"].as_str().unwrap();
    assert!(raw_of(&world, id).len() >= 9_000_000);
    let shown = world.run(&["runs", "show", id]);
    assert!(shown.err.contains("the provider's report has "), "{}", shown.err);
}

#[test]
fn while_it_cannot_be_read_the_status_says_so_and_a_restart_does_not_begin_the_deadline_anew() {
    let world = World::new();
    let mut child = world.start(&["research", "--max-time", "6s", "[[bad-look look=shape]] x"]);
    let mut shown = Value::Null;
    wait_until("the reason", || {
        let listed = world.json(&["runs", "list", "--json"]);
        shown = listed["researches"][0].clone();
        shown["problem"]["code"] == "UNREADABLE_ANSWER"
    });
    assert_eq!(shown["status"], "running_async");
    let action = shown["progress"]["current_action"].as_str().unwrap();
    assert!(action.contains("the provider's answer cannot be read"), "{action}");
    let id = shown["task_id"].as_str().unwrap().to_owned();
    assert_eq!(raw_of(&world, &id), b"[[1,2,3]]");
    thread::sleep(Duration::from_secs(4));
    child.kill().unwrap();
    child.wait().unwrap();
    let done = world.run(&["runs", "resume", "--json", &id]);
    let ended = document(&done);
    assert_eq!(ended["status"], "timed_out", "{}", done.err);
    // Six seconds of attention, a look before the kill that was not recorded, five seconds for a late look, the end.
    assert!(took(&ended) <= Duration::from_secs(6 + 4 + 5) + ENDING_MAX, "{ended}");
    assert_eq!(raw_of(&world, &id), b"[[1,2,3]]");
}

#[test]
fn a_driver_that_is_stopped_inside_the_paid_call_and_goes_on_pays_once() {
    let world = World::new();
    // Ten times faster than ours: the id comes after four seconds.
    let stopped = world.start(&["research", "[[slow-first-byte for_ms=40000]] stopped"]);
    wait_until("the provider to accept", || world.ledger().entries().len() == 1);
    signal(&stopped, Signal::STOP);
    // Past the lease another process takes the run over and has to call its start unknown.
    let pause = Duration::from_secs(sized(6, 40));
    thread::sleep(pause);
    let meanwhile = world.run(&["runs", "list", "--json"]);
    assert_eq!(meanwhile.code, 0, "{}", meanwhile.err);
    let other = sized(false, true).then(|| world.run(&["runs", "resume"]));
    signal(&stopped, Signal::CONT);
    drop(finish(stopped));
    let resumed = world.run(&["runs", "resume"]);
    let creates = world.ledger().entries().len();
    eprintln!("figure: stopped.creates {creates} after {} s stopped in the paid call", pause.as_secs());
    assert_eq!((creates, resumed.code), (1, 0), "{} {other:?}", resumed.err);
    assert_eq!(world.wait_for_status("completed").len(), 36);
}

#[test]
fn a_wall_clock_that_jumps_changes_neither_the_end_nor_the_bill() {
    let Some(library) = faketime() else { return };
    let jumps = ["+400d", "-400d", "@1970-01-02 00:00:00", "@2038-01-19 03:14:08", "@9999-12-30 00:00:00"];
    let mut completed = 0;
    for jump in jumps {
        let world = World::new();
        world.write("clock", "+0");
        let mut command = world.command(&["research", "[[slow duration_ms=20000]] clock"]);
        command
            .env("LD_PRELOAD", library)
            .env("FAKETIME_TIMESTAMP_FILE", world.home.path().join("clock"))
            .env("FAKETIME_NO_CACHE", "1")
            // Deadlines and timers run on the other clock, which does not jump on real machines either.
            .env("FAKETIME_DONT_FAKE_MONOTONIC", "1");
        let child = command.stdin(Stdio::null()).spawn().unwrap();
        world.wait_for_status("running_async");
        world.write("clock", jump);
        let done = finish(child);
        assert_eq!(done.code, 0, "{jump}: {}", done.err);
        assert!(done.out.starts_with("# clock\n"), "{jump}: {}", done.out);
        // Back at the right time the store is readable and nothing is due.
        assert_eq!(world.wait_for_status("completed").len(), 36, "{jump}");
        assert_eq!(world.run(&["runs", "resume"]).code, 0, "{jump}");
        assert_eq!(world.ledger().entries().len(), 1, "{jump}");
        completed += 1;
    }
    eprintln!("figure: clock.jumps {completed} of {} completed and paid once", jumps.len());
}

/// The library that shows programs another clock; a notice where there is none.
fn faketime() -> Option<&'static str> {
    let places = [
        "/usr/lib/x86_64-linux-gnu/faketime/libfaketimeMT.so.1",
        "/usr/lib/aarch64-linux-gnu/faketime/libfaketimeMT.so.1",
        "/usr/lib64/faketime/libfaketimeMT.so.1",
    ];
    let found = places.into_iter().find(|place| Path::new(place).exists());
    if found.is_none() {
        crate::harness::notice("libfaketime is not installed; no clock jumped");
    }
    found
}

fn signal(child: &Child, signal: Signal) {
    kill_process(Pid::from_raw(i32::try_from(child.id()).unwrap()).unwrap(), signal).unwrap();
}

/// From the question to the end.
fn took(ended: &Value) -> Duration {
    let at = |name: &str| ended[name].as_str().unwrap().parse::<Timestamp>().unwrap().as_millisecond();
    Duration::from_millis(u64::try_from(at("ended_at") - at("asked_at")).unwrap())
}

/// What `runs show --raw` prints; it need not be text.
fn raw_of(world: &World, id: &str) -> Vec<u8> {
    let output = world.command(&["runs", "show", "--raw", id]).output().unwrap();
    assert_eq!(output.status.code(), Some(0), "{}", String::from_utf8_lossy(&output.stderr));
    output.stdout
}

/// Passes one connection on, the paid call; every later one is refused.
struct Forwarder {
    base_url: String,
}

impl Forwarder {
    fn start(target: &str) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let base_url = format!("http://{}", listener.local_addr().unwrap());
        let target = target.trim_start_matches("http://").to_owned();
        thread::spawn(move || {
            let (client, _) = listener.accept().unwrap();
            drop(listener);
            let server = TcpStream::connect(target).unwrap();
            let (from, to) = (client.try_clone().unwrap(), server.try_clone().unwrap());
            thread::spawn(move || pass_on(from, to));
            pass_on(server, client);
        });
        Self { base_url }
    }
}

fn pass_on(mut from: TcpStream, mut to: TcpStream) {
    // Either side may leave at any time.
    io::copy(&mut from, &mut to).ok();
    to.shutdown(Shutdown::Both).ok();
}

/// A model repeats a call that failed: that is no word of its user to pay for the same question again.
#[test]
fn the_same_call_again_does_not_send_a_start_again_that_may_have_been_billed() {
    let world = World::new();
    let mut client = Client::open(&world, Era::Old, &[]);
    let question = json!({ "query": "[[create-lost]] the very same question" });
    let first = client.call("start_deep_research", question.clone());
    let created = world.ledger().entries().len();
    for _ in 0..3 {
        let again = client.call("start_deep_research", question.clone());
        let told = again.to_string();
        assert_eq!(again["structuredContent"]["task_id"], first["structuredContent"]["task_id"], "{told}");
        assert!(told.contains("nobody knows whether it was taken and billed"), "{told}");
    }
    client.leave();
    let typed = world.run(&["research", "[[create-lost]] the very same question"]);
    assert!(typed.err.contains("nothing was started now"), "{}", typed.err);
    // A second space makes no other question, and removing the run unsays no bill.
    let spaced = world.run(&["research", "[[create-lost]] the  very same question"]);
    assert!(spaced.err.contains("nothing was started now"), "{}", spaced.err);
    let id = first["structuredContent"]["task_id"].as_str().unwrap();
    assert_eq!(world.run(&["runs", "rm", id, "--yes"]).code, 0);
    let removed = world.run(&["research", "[[create-lost]] the very same question"]);
    assert!(removed.err.contains("nobody knows whether it was taken and billed"), "{}", removed.err);
    assert!(removed.err.contains("`--again`"), "{}", removed.err);
    assert_eq!(world.ledger().entries().len(), created);
    world.run(&["research", "[[create-lost]] the very same question", "--again", "--yes"]);
    assert_eq!(world.ledger().entries().len(), created + 1, "another is started where the user says so");
}
