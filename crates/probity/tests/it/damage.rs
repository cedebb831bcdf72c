//! A damaged database: it is noticed, nothing wrong is shown, and there is a way back.

use std::fs;

use crate::harness::World;

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
