//! A damaged database: it is noticed, nothing wrong is shown, and there is a way back.

use std::fs;

use crate::harness::{World, finish, send_signal};

#[test]
fn a_damaged_database_is_noticed_and_the_days_copy_brings_it_back() {
    let world = World::new();
    let asked = world.run(&["research", "why is the sky blue?"]);
    assert_eq!(asked.code, 0, "{}", asked.err);
    // Whoever worked last made the day's copy; a second one on the same day is not made.
    let copies = || fs::read_dir(world.data().join("backups")).unwrap().count();
    assert_eq!(copies(), 1);
    world.run(&["research", "and why is it red at night?"]);
    assert_eq!(copies(), 1);
    assert_eq!(world.run(&["store", "backup"]).code, 0);
    assert_eq!(copies(), 2);

    let database = world.data().join("probity.db");
    let mut bytes = fs::read(&database).unwrap();
    let middle = bytes.len() / 4;
    bytes[middle..].iter_mut().for_each(|byte| *byte ^= 0x5A);
    fs::write(&database, bytes).unwrap();

    let shown = world.run(&["runs", "list"]);
    assert_ne!(shown.code, 0);
    assert!(shown.err.contains("error[STORE_CORRUPT]"), "{}", shown.err);
    let advice = world.run(&["doctor"]);
    assert!(advice.out.contains("probity store restore"), "{}", advice.out);

    let restored = world.run(&["store", "restore"]);
    assert!(restored.err.contains("restored 2 researches from"), "{}", restored.err);
    assert!(restored.err.contains("the damaged file is kept as"), "{}", restored.err);
    assert_eq!(world.json(&["runs", "list", "--json"])["researches"].as_array().unwrap().len(), 2);
}

/// Changes the letters of a question wherever the database has them: its rows no longer match, its other pages do.
fn change_letters(world: &World, from: &[u8], to: &[u8]) {
    let database = world.data().join("probity.db");
    let mut bytes = fs::read(&database).unwrap();
    let places: Vec<usize> =
        bytes.windows(from.len()).enumerate().filter(|(_, here)| *here == from).map(|(at, _)| at).collect();
    assert!(!places.is_empty());
    for at in places {
        bytes[at..at + to.len()].copy_from_slice(to);
    }
    fs::write(&database, bytes).unwrap();
}

fn researches(world: &World) -> usize {
    world.json(&["runs", "list", "--json"])["researches"].as_array().unwrap().len()
}

#[test]
fn a_whole_database_is_not_replaced_by_an_older_copy() {
    let world = World::new();
    assert_eq!(world.run(&["research", "why is the sky blue?"]).code, 0);
    assert_eq!(world.run(&["research", "and why is it red at night?"]).code, 0);
    let refused = world.run(&["store", "restore"]);
    assert_ne!(refused.code, 0, "{}", refused.err);
    assert!(refused.err.contains("error[STORE_WHOLE]"), "{}", refused.err);
    assert!(refused.err.contains("nothing needs restoring"), "{}", refused.err);
    assert!(refused.err.contains("would lose 1 research and"), "{}", refused.err);
    assert_eq!(researches(&world), 2);
    // The way that the hint names, there and back.
    let database = world.data().join("probity.db");
    fs::rename(&database, world.data().join("mine.db")).unwrap();
    let restored = world.run(&["store", "restore"]);
    assert_eq!(restored.code, 0, "{}", restored.err);
    assert_eq!(researches(&world), 1);
    fs::rename(world.data().join("mine.db"), &database).unwrap();
    assert_eq!(researches(&world), 2);
}

#[test]
fn what_may_have_been_sent_since_the_copy_is_not_paid_again() {
    let world = World::new();
    // Nobody answers there: it is to be tried again, and nothing was paid.
    let nowhere = ("GOOGLE_GEMINI_BASE_URL", "http://127.0.0.1:9");
    let mut command = world.command(&["research", "why is the sky blue?"]);
    let child = command.env(nowhere.0, nowhere.1).spawn().unwrap();
    let id = world.wait_for_status("pending");
    send_signal(&child, rustix::process::Signal::TERM);
    finish(child);
    assert_eq!(world.run(&["store", "backup"]).code, 0);
    assert_eq!(
        world.json(&["runs", "show", "--json", &id])["status"],
        "pending",
        "the copy has it as pending"
    );
    let done = world.run(&["runs", "resume", &id]);
    assert_eq!(done.code, 0, "{}", done.err);
    let paid = world.ledger().entries().len();
    change_letters(&world, b"sky blue", b"sky blUe");

    let restored = world.run(&["store", "restore"]);
    assert_eq!(restored.code, 0, "{}", restored.err);
    assert!(restored.err.contains("1 research may have been sent and paid for"), "{}", restored.err);
    assert!(restored.err.contains("to use what is kept again"), "{}", restored.err);
    let shown = world.json(&["runs", "show", "--json", &id]);
    assert_eq!(shown["status"], "unknown", "{shown}");
    let all = world.run(&["runs", "resume"]);
    let one = world.run(&["runs", "resume", &id]);
    assert_ne!(one.code, 0, "{}", one.err);
    assert!(one.err.contains("CREATE_UNCERTAIN"), "{}", one.err);
    assert_eq!(world.ledger().entries().len(), paid, "{} {}", all.err, one.err);
    assert!(world.run(&["doctor"]).out.contains("whole: 1 research"), "what was added fits");
    // Who is ready to pay again gets it.
    let again = world.run(&["runs", "resume", &id, "--pay-again"]);
    assert_eq!(again.code, 0, "{}", again.err);
}

#[test]
fn who_accepts_a_loss_pays_nothing_twice_and_keeps_the_days_limit() {
    let world = World::new();
    let limit = ("PROBITY_BUDGET__PER_DAY_USD", "6");
    let nowhere = ("GOOGLE_GEMINI_BASE_URL", "http://127.0.0.1:9");
    let mut command = world.command(&["research", "why is the sky blue?"]);
    let child = command.env(nowhere.0, nowhere.1).spawn().unwrap();
    let id = world.wait_for_status("pending");
    send_signal(&child, rustix::process::Signal::TERM);
    finish(child);
    // The state before it was sent, put in the place of a later one.
    let database = world.data().join("probity.db");
    let earlier = fs::read(&database).unwrap();
    let done = world.run(&["runs", "resume", &id]);
    assert_eq!(done.code, 0, "{}", done.err);
    let paid = world.ledger().entries().len();
    fs::write(&database, earlier).unwrap();
    assert!(world.run(&["runs", "list"]).err.contains("STORE_CORRUPT"));
    fs::remove_dir_all(world.data().join("backups")).unwrap();
    let accepted = world.run(&["store", "restore", "--accept-loss"]);
    assert_eq!(accepted.code, 0, "{}", accepted.err);
    assert!(accepted.err.contains("1 research may have been sent and paid for"), "{}", accepted.err);
    world.run(&["runs", "resume"]);
    assert_ne!(world.run(&["runs", "resume", &id]).code, 0);
    let other = finish(world.command(&["research", "and at night?"]).env(limit.0, limit.1).spawn().unwrap());
    assert!(other.err.contains("error[DAY_LIMIT]"), "{}", other.err);
    assert!(other.err.contains("cannot be read"), "{}", other.err);
    assert_eq!(world.ledger().entries().len(), paid);
}

/// What a restore says, and the loss that it says it of.
type Loss = (&'static str, fn(&World));

#[test]
fn the_days_limit_holds_after_a_restore() {
    let limit = ("PROBITY_BUDGET__PER_DAY_USD", "6");
    let run = |world: &World, arguments: &[&str]| {
        finish(world.command(arguments).env(limit.0, limit.1).spawn().unwrap())
    };
    let losses: [Loss; 3] = [
        ("counts for budget.per_day_usd", |world| change_letters(world, b"at night", b"at nIght")),
        ("it has room again at", |world| {
            let database = world.data().join("probity.db");
            let mut bytes = fs::read(&database).unwrap();
            bytes[4096..].iter_mut().for_each(|byte| *byte ^= 0x5A);
            fs::write(&database, bytes).unwrap();
        }),
        ("it has room again at", |world| fs::remove_file(world.data().join("probity.db")).unwrap()),
    ];
    for (told, lose) in losses {
        let world = World::new();
        assert_eq!(run(&world, &["research", "why is the sky blue?"]).code, 0);
        // As many as fit: what each costs is known only after it.
        let mut started = 0;
        while run(&world, &["research", &format!("and why is it red at night {started}?")]).code == 0 {
            started += 1;
        }
        assert!((1..9).contains(&started), "{started}");
        let paid = world.ledger().entries().len();
        lose(&world);
        // The limit may be set for the program that starts runs and not where the restore is typed.
        let restored = world.run(&["store", "restore"]);
        assert_eq!(restored.code, 0, "{}", restored.err);
        assert!(restored.err.contains(told), "{}", restored.err);
        assert_eq!(researches(&world), 1);
        let refused = run(&world, &["research", "and in the morning?"]);
        assert!(refused.err.contains("error[DAY_LIMIT]"), "{told}: {}", refused.err);
        assert!(refused.err.contains("it has room again at 20"), "{told}: {}", refused.err);
        assert_eq!(world.ledger().entries().len(), paid);
    }
}
