//! A database that goes away under a living server, and disks that fail: nothing is accepted and then lost, and every
//! error is called what it is.

use std::{
    fs,
    path::Path,
    process::{Child, Command},
    thread,
    time::{Duration, Instant},
};

use serde_json::json;

use crate::{
    client::{Client, Era},
    harness::{CommandOutput, World, finish, send_signal, wait_until},
};

/// What happens to the data directory under a living server, with its name.
type Loss = (&'static str, fn(&World));

const LOSSES: [Loss; 5] = [
    ("database removed", |world| remove(world, &["probity.db", "probity.db-wal", "probity.db-shm"])),
    ("log removed", |world| remove(world, &["probity.db-wal"])),
    ("directory removed", |world| fs::remove_dir_all(world.data()).unwrap()),
    ("directory moved", |world| fs::rename(world.data(), world.home.path().join("elsewhere")).unwrap()),
    ("database replaced", |world| {
        let database = world.data().join("probity.db");
        fs::copy(&database, world.data().join("copy")).unwrap();
        fs::rename(world.data().join("copy"), database).unwrap();
    }),
];

fn remove(world: &World, names: &[&str]) {
    names.iter().for_each(|name| fs::remove_file(world.data().join(name)).unwrap());
}

#[test]
fn a_server_whose_database_is_gone_takes_on_nothing_and_says_why() {
    let (mut lost, mut misnamed) = (0, Vec::new());
    for (name, lose) in LOSSES {
        let world = World::new();
        let mut client = Client::open(&world, Era::Old, &[]);
        let first = client.done("start_deep_research", json!({ "query": "why is the sky blue?" }));
        let paid = world.ledger().entries().len();
        lose(&world);
        let answer = client.call("start_deep_research", json!({ "query": "and why is it red at night?" }));
        lost += world.ledger().entries().len() - paid;
        let code = answer["structuredContent"]["error"]["code"].as_str().unwrap_or("accepted");
        if code != "STORE_GONE" {
            misnamed.push((name, code.to_owned()));
        }
        // A status from a file that nobody finds again would be the last that a client ever hears.
        let asked = json!({ "task_id": first["task_id"] });
        let status = client.call("check_research_status", asked);
        assert_eq!(status["structuredContent"]["error"]["code"], "STORE_GONE", "{name}: {status}");
        client.leave();
    }
    eprintln!("figure: files.lost {lost} of {}", LOSSES.len());
    assert_eq!((lost, misnamed), (0, Vec::new()));
}

/// Waits for the child, at most this long; how it ended, what it said and how long it took.
#[expect(clippy::disallowed_methods, reason = "measures real time")]
fn ended_within(mut child: Child, limit: Duration) -> (CommandOutput, Duration) {
    let began = Instant::now();
    while child.try_wait().unwrap().is_none() {
        if began.elapsed() > limit {
            child.kill().unwrap();
            let done = finish(child);
            panic!("still there after {limit:?}: {}", done.err);
        }
        thread::sleep(Duration::from_millis(20));
    }
    let took = began.elapsed();
    (finish(child), took)
}

#[test]
fn a_research_whose_log_is_removed_ends_as_one_whose_database_is() {
    for names in [&["probity.db-wal"][..], &["probity.db-wal", "probity.db-shm"], &["probity.db"]] {
        let world = World::new();
        let child = world.start(&["research", "[[slow duration_ms=60000]] why is the sky blue?"]);
        world.wait_for_status("running_async");
        remove(&world, names);
        let (done, took) = ended_within(child, Duration::from_secs(20));
        eprintln!("figure: files.log_gone_seconds {:.1} ({names:?})", took.as_secs_f64());
        assert!(done.err.contains("error[STORE_GONE]"), "{names:?}: {}", done.err);
        assert!(done.err.contains("the provider knows this research as"), "{names:?}: {}", done.err);
        assert!(done.err.contains("start again what said this"), "{names:?}: {}", done.err);
    }
}

#[test]
fn a_deadline_holds_though_the_store_takes_nothing() {
    let world = World::new();
    let small = world.data();
    fs::create_dir_all(&small).unwrap();
    let at = small.to_string_lossy().into_owned();
    if !succeeds("mount", &["-t", "tmpfs", "-o", "size=4m,mode=700", "tmpfs", &at]) {
        crate::harness::notice("a small file system needs root; it was not filled");
        return;
    }
    let disk = Disk { mount: &small };
    for ended_by in ["deadline", "SIGTERM"] {
        let question = format!("[[slow duration_ms=40000]] why is the sky blue? {ended_by}");
        let mut command = world.command(&["research", "--max-time", "8s", &question]);
        let reports = world.home.path().join("reports");
        let child = command.env("PROBITY_REPORTS__DIRECTORY", reports).spawn().unwrap();
        world.wait_for_status("running_async");
        succeeds("dd", &["if=/dev/zero", &format!("of={at}/filler"), "bs=4k"]);
        let rescued = || world.files().iter().any(|file| file.to_string_lossy().contains("probity-rescue-"));
        if ended_by == "SIGTERM" {
            wait_until("the report to be written beside the store", rescued);
            send_signal(&child, rustix::process::Signal::TERM);
        }
        let (done, took) = ended_within(child, Duration::from_secs(40));
        eprintln!("figure: files.full_store_seconds {:.1} ({ended_by})", took.as_secs_f64());
        assert_ne!(done.code, 0, "{}", done.err);
        assert!(rescued(), "{}", done.err);
        if ended_by == "SIGTERM" {
            assert!(!done.err.contains("goes on at the provider"), "{}", done.err);
            assert!(done.err.contains("the report has come"), "{}", done.err);
        } else {
            assert!(done.err.contains("STORE_FULL"), "{}", done.err);
        }
        fs::remove_file(small.join("filler")).unwrap();
        world.files().iter().filter(|file| file.to_string_lossy().contains("probity-rescue-")).for_each(
            |file| {
                fs::remove_file(file).unwrap();
            },
        );
        world.run(&["runs", "resume"]);
    }
    drop(disk);
}

#[test]
fn a_database_that_is_gone_is_not_called_an_empty_one() {
    let world = World::new();
    assert_eq!(world.run(&["research", "why is the sky blue?"]).code, 0);
    remove(&world, &["probity.db"]);
    for command in [&["runs", "list"][..], &["runs", "list", "--json"], &["research", "and at night?"]] {
        let done = world.run(command);
        assert_ne!(done.code, 0, "{command:?}");
        let said = format!("{}{}", done.out, done.err);
        assert!(said.contains("STORE_GONE"), "{command:?}: {said}");
    }
    let advice = world.run(&["doctor"]);
    assert!(advice.out.contains("is gone") && !advice.out.contains("not there yet"), "{}", advice.out);
    assert!(!world.data().join("probity.db").exists(), "no empty one is put in its place");
    // The day's copy brings it back.
    let restored = world.run(&["store", "restore"]);
    assert_eq!(restored.code, 0, "{}", restored.err);
    assert_eq!(world.json(&["runs", "list", "--json"])["researches"].as_array().unwrap().len(), 1);
}

#[test]
fn without_a_backup_the_hint_leads_out() {
    let world = World::new();
    assert_eq!(world.run(&["research", "why is the sky blue?"]).code, 0);
    remove(&world, &["probity.db"]);
    fs::remove_dir_all(world.data().join("backups")).unwrap();
    let refused = world.run(&["store", "restore"]);
    assert_ne!(refused.code, 0);
    assert!(refused.err.contains("error[NO_BACKUP]"), "{}", refused.err);
    // The way that the hint names where nothing is left; the other is for a database that lacks its newest changes.
    let elsewhere = world.data().join("elsewhere");
    let anew = world
        .command(&["research", "why is the sky blue?"])
        .env("PROBITY_STORE__DIRECTORY", &elsewhere)
        .output()
        .unwrap();
    assert!(anew.status.success(), "{anew:?}");
    let refused = world.run(&["store", "restore", "--accept-loss"]);
    assert!(refused.err.contains("nothing to go on with"), "{}", refused.err);
}

/// A file system of its own for the data directory, which can be broken; none, with a notice, without root.
struct Disk<'a> {
    mount: &'a Path,
}

impl<'a> Disk<'a> {
    fn ext4(image: &Path, mount: &'a Path) -> Option<Self> {
        fs::create_dir_all(mount).unwrap();
        let made = succeeds("truncate", &["-s", "64M", &image.to_string_lossy()])
            && succeeds("mkfs.ext4", &["-q", "-F", &image.to_string_lossy()])
            && succeeds("mount", &["-o", "loop", &image.to_string_lossy(), &mount.to_string_lossy()]);
        if !made {
            crate::harness::notice(
                "a file system of its own needs root and a loop device; it was not broken",
            );
        }
        made.then_some(Self { mount })
    }

    /// Every call answers with an input/output error from now on.
    fn shut_down(&self) -> bool {
        // EXT4_IOC_SHUTDOWN without flushing the log; there is no tool for it everywhere.
        let program = "import fcntl,os,struct,sys\n\
                       d=os.open(sys.argv[1],os.O_RDONLY)\n\
                       fcntl.ioctl(d,0x8004587D,struct.pack('I',2))";
        succeeds("python3", &["-c", program, &self.mount.to_string_lossy()])
    }
}

impl Drop for Disk<'_> {
    fn drop(&mut self) {
        succeeds("umount", &["-l", &self.mount.to_string_lossy()]);
    }
}

#[expect(clippy::disallowed_methods, reason = "tests make and break file systems")]
fn succeeds(program: &str, arguments: &[&str]) -> bool {
    Command::new(program).args(arguments).output().is_ok_and(|done| done.status.success())
}

/// The code of an answer, and whether its words send the user to an older copy.
fn told(answer: &serde_json::Value) -> (String, bool) {
    let error = &answer["structuredContent"]["error"];
    let code = error["code"].as_str().unwrap_or("accepted").to_owned();
    (code, error.to_string().contains("damaged"))
}

#[test]
fn disk_errors_are_called_what_they_are() {
    let mut misnamed = Vec::new();
    let mut cases = 0;
    let mut check = |name: &'static str, wanted: &[&str], answer: &serde_json::Value| {
        cases += 1;
        let (code, damaged) = told(answer);
        if !wanted.contains(&code.as_str()) || damaged {
            misnamed.push((name, answer.to_string()));
        }
    };
    let question = json!({ "query": "and at night?" });

    let world = World::new();
    let image = world.home.path().join("disk.img");
    let mount = world.data();
    if let Some(disk) = Disk::ext4(&image, &mount) {
        let mut client = Client::open(&world, Era::Old, &[]);
        client.done("start_deep_research", json!({ "query": "why is the sky blue?" }));
        if disk.shut_down() {
            check("dead disk, write", &["STORE_DISK"], &client.call("start_deep_research", question.clone()));
            // What SQLite still has in memory it answers.
            check("dead disk, read", &["STORE_DISK", "accepted"], &client.call("list_research", json!({})));
            let listed = world.run(&["runs", "list"]);
            assert!(listed.err.contains("STORE_DISK"), "{}", listed.err);
            assert!(!listed.err.contains("restore`"), "{}", listed.err);
        } else {
            crate::harness::notice("this kernel does not shut a file system down on request");
        }
        client.leave();
    }

    let world = World::new();
    let small = world.data();
    fs::create_dir_all(&small).unwrap();
    let at = small.to_string_lossy().into_owned();
    if succeeds("mount", &["-t", "tmpfs", "-o", "size=4m,mode=700", "tmpfs", &at]) {
        let disk = Disk { mount: &small };
        let mut client = Client::open(&world, Era::Old, &[]);
        client.done("start_deep_research", json!({ "query": "why is the sky blue?" }));
        let filled = succeeds("dd", &["if=/dev/zero", &format!("of={at}/filler"), "bs=4k"]);
        assert!(!filled, "it fills up");
        check("full disk", &["STORE_FULL"], &client.call("start_deep_research", question.clone()));
        fs::remove_file(small.join("filler")).unwrap();
        client.leave();
        assert!(succeeds("mount", &["-o", "remount,ro", &at]));
        let refused = world.run(&["research", "and at night?"]);
        cases += 1;
        if !refused.err.contains("STORE_READ_ONLY") || refused.err.contains("damaged") {
            misnamed.push(("read-only disk", refused.err));
        }
        assert_eq!(world.run(&["runs", "list"]).code, 0, "reading works");
        drop(disk);
    }
    eprintln!("figure: files.misnamed {} of {cases}", misnamed.len());
    assert_eq!(misnamed, Vec::new());
}
