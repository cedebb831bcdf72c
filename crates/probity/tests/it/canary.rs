//! The key is nowhere: not on the screen, not in the log, not on disk.

mod rounds;

use std::fs;

use crate::harness::{CommandOutput, KEY, World};

#[test]
fn the_key_appears_nowhere() {
    let world = World::new();
    let mut all: Vec<CommandOutput> = Vec::new();
    for arguments in [
        vec!["-vv", "research", "why"],
        vec!["-vv", "research", "--json", "[[error-401]] x"],
        vec!["-vv", "research", "[[create-lost]] x"],
        vec!["-vv", "research", "[[error-500-html]] x"],
        vec!["-vv", "doctor"],
        vec!["-vv", "config", "show", "--origin"],
        vec!["-vv", "runs", "show", "last", "--raw"],
        vec!["-vv", "runs", "list", "--json"],
        vec!["-vv", "research", "--detach", "background"],
        vec!["-vv", "runs", "watch", "last"],
    ] {
        all.push(world.run(&arguments));
    }
    for done in &all {
        assert!(!done.out.contains(KEY) && !done.err.contains(KEY), "{done:?}");
    }
    let files = world.files();
    assert!(files.len() > 2, "{files:?}");
    for path in files {
        let bytes = fs::read(&path).unwrap_or_default();
        let found = bytes.windows(KEY.len()).any(|window| window == KEY.as_bytes());
        assert!(!found, "{}", path.display());
    }
}

#[cfg(unix)]
#[test]
fn files_are_private() {
    use std::os::unix::fs::PermissionsExt as _;
    let world = World::new();
    world.run(&["research", "--detach", "why"]);
    world.run(&["runs", "watch", "last"]);
    for path in world.files() {
        let Ok(found) = fs::metadata(&path) else { continue };
        assert_eq!(found.permissions().mode() & 0o077, 0, "{}", path.display());
    }
}
