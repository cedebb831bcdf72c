//! A project's `probity.toml`: one that somebody else put there is not obeyed, and one that cuts a run short says so.

use std::{
    fs, io,
    os::unix::fs::{PermissionsExt as _, chown},
    path::Path,
};

use serde_json::json;

use crate::{
    client::{Client, Era},
    harness::World,
};

/// Some other user of the machine.
const STRANGER: u32 = 65_534;

fn writable(place: &Path, mode: u32) -> io::Result<()> {
    fs::set_permissions(place, fs::Permissions::from_mode(mode))
}

#[test]
fn a_file_of_another_user_is_not_obeyed_and_is_named() {
    let mut obeyed = Vec::new();
    let mut cases = 0;
    for (name, text) in [
        ("short deadline", "[research]\ndeadline = \"1s\"\n"),
        ("small budget", "[budget]\nmax_usd = \"0.01\"\n"),
        ("forbidden key", "[store]\ndirectory = \"/nowhere\"\n"),
        ("no TOML", "\u{1}"),
    ] {
        for place in [
            "foreign file",
            "foreign directory",
            "file that all may write",
            "directory that all may write",
            "file that a group may write",
            "directory that a group may write",
        ] {
            let world = World::new();
            world.write("shared/probity.toml", text);
            world.write("shared/work/notes.txt", "");
            let folder = world.home.path().join("shared");
            let file = folder.join("probity.toml");
            let done = match place {
                "foreign file" => chown(&file, Some(STRANGER), None),
                "foreign directory" => chown(&folder, Some(STRANGER), None),
                "file that all may write" => writable(&file, 0o666),
                "directory that all may write" => writable(&folder, 0o777),
                "file that a group may write" => {
                    chown(&file, None, Some(STRANGER)).and_then(|()| writable(&file, 0o664))
                }
                _ => chown(&folder, None, Some(STRANGER)).and_then(|()| writable(&folder, 0o775)),
            };
            if done.is_err() {
                crate::harness::notice("giving a file to another user needs root; it was not tried");
                continue;
            }
            cases += 1;
            let at = |arguments: &[&str]| {
                let mut command = world.command(arguments);
                command.current_dir(folder.join("work"));
                crate::harness::finish(command.spawn().unwrap())
            };
            let shown = at(&["config", "show", "--origin"]);
            if shown.code != 0 || shown.out.contains("probity.toml:") {
                obeyed.push((name, place, shown.out.clone()));
            }
            assert!(shown.err.contains("is not read"), "{}", shown.err);
            let advice = at(&["doctor"]);
            assert!(advice.out.contains("is not read"), "{}", advice.out);
        }
    }
    eprintln!("figure: project.foreign {} of {cases}", obeyed.len());
    assert_eq!(obeyed, Vec::new());
}

/// Many systems give each user a group of its own, and files that it may write.
#[test]
fn a_file_that_only_the_users_own_group_may_write_is_obeyed() {
    let world = World::new();
    world.write("probity.toml", "[research]\ndeadline = \"20s\"\n");
    writable(&world.home.path().join("probity.toml"), 0o664).unwrap();
    let (user, group) = (rustix::process::geteuid().as_raw(), rustix::process::getegid().as_raw());
    if user != group {
        return crate::harness::notice("this user has no group of its own; it was not tried");
    }
    let shown = world.run(&["config", "show", "--origin"]);
    assert!(shown.out.contains("probity.toml:2"), "{} {}", shown.out, shown.err);
}

#[test]
fn a_run_whose_deadline_a_project_set_names_the_file() {
    let world = World::new();
    world.write("probity.toml", "[research]\ndeadline = \"2s\"\n");
    let mut client = Client::open(&world, Era::Old, &[("PROBITY_MCP__START_WAIT", "1s")]);
    let started =
        client.done("start_deep_research", json!({ "query": "why? [[completed duration_ms=60000]]" }));
    let told = started.to_string();
    assert!(told.contains("the deadline, 2s, is set by") && told.contains("probity.toml:2"), "{told}");
    client.leave();
    let done = world.run(&["research", "why is the sky blue?"]);
    assert!(done.err.contains("the deadline, 2s, is set by"), "{}", done.err);
}
