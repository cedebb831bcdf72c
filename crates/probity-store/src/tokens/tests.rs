use std::{fs, os::unix::fs::PermissionsExt as _};

use probity_research::{error::Code, principal::Principal};
use tempfile::TempDir;

use super::TokenFiles;

fn files() -> (TempDir, TokenFiles) {
    let directory = tempfile::tempdir().unwrap();
    let files = TokenFiles::in_directory(directory.path());
    (directory, files)
}

fn name(text: &str) -> Principal {
    Principal::parse(text).unwrap()
}

#[test]
fn the_machines_own_token_is_made_once_and_private() {
    let (_directory, files) = files();
    let made = files.own_token([1; 32]).unwrap();
    assert_eq!(made.reveal(), format!("pbt_{}", "01".repeat(32)));
    assert_eq!(files.own_token([2; 32]).unwrap(), made, "the one that is there stays");
    assert_eq!(fs::metadata(files.own_path()).unwrap().permissions().mode() & 0o777, 0o600);
    assert_eq!(format!("{made:?}"), "Token(hidden)");
}

#[test]
fn only_the_hash_of_a_named_token_is_kept() {
    let (directory, files) = files();
    let annas = files.add(&name("anna"), [3; 32]).unwrap();
    let bens = files.add(&name("ben"), [4; 32]).unwrap();
    assert_eq!(files.named_tokens().unwrap(), [(annas.hash(), name("anna")), (bens.hash(), name("ben"))]);
    for entry in fs::read_dir(directory.path()).unwrap() {
        let text = fs::read_to_string(entry.unwrap().path()).unwrap();
        assert!(!text.contains(annas.reveal()) && !text.contains(&"03".repeat(32)), "{text}");
    }
    assert_eq!(fs::metadata(files.named_path()).unwrap().permissions().mode() & 0o777, 0o600);
}

#[test]
fn a_new_token_replaces_the_old_and_a_removed_name_has_none() {
    let (_directory, files) = files();
    files.add(&name("anna"), [3; 32]).unwrap();
    let second = files.add(&name("anna"), [5; 32]).unwrap();
    assert_eq!(files.named_tokens().unwrap(), [(second.hash(), name("anna"))]);
    files.remove(&name("anna")).unwrap();
    assert_eq!(files.named_tokens().unwrap(), []);
    assert_eq!(files.remove(&name("anna")).unwrap_err().code, Code::Settings);
}

#[test]
fn a_file_that_others_may_read_is_refused() {
    let (_directory, files) = files();
    files.own_token([1; 32]).unwrap();
    files.add(&name("anna"), [3; 32]).unwrap();
    for (path, mode) in [(files.own_path(), 0o644), (files.named_path(), 0o640), (files.named_path(), 0o602)]
    {
        fs::set_permissions(&path, fs::Permissions::from_mode(mode)).unwrap();
        let refused = if path == files.own_path() {
            files.own_token([1; 32]).unwrap_err()
        } else {
            files.named_tokens().unwrap_err()
        };
        assert_eq!(refused.code, Code::TokenExposed);
        assert!(refused.message.contains(&format!("mode {mode:o}")), "{}", refused.message);
        fs::set_permissions(&path, fs::Permissions::from_mode(0o600)).unwrap();
    }
}

#[test]
fn what_is_not_a_token_file_is_not_taken_for_one() {
    let (_directory, files) = files();
    for text in ["", "pbt_12", "hello\n"] {
        fs::write(files.own_path(), text).unwrap();
        fs::set_permissions(files.own_path(), fs::Permissions::from_mode(0o600)).unwrap();
        assert_eq!(files.own_token([1; 32]).unwrap_err().code, Code::Settings, "{text:?}");
    }
}

#[test]
fn names_added_at_the_same_time_are_all_there() {
    let (_directory, files) = files();
    std::thread::scope(|scope| {
        for number in 0..8_u8 {
            let files = &files;
            scope.spawn(move || files.add(&name(&format!("p{number}")), [number; 32]).unwrap());
        }
    });
    assert_eq!(files.named_tokens().unwrap().len(), 8);
}
