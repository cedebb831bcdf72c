//! What a question comes back with, and what never leaves.

use std::{collections::BTreeSet, fs, os::unix::fs::symlink, time::Duration};

use probity_models::gemini_cli::{CliEvent, CliProcessReuse, CliRequest, CliVersion, ENVIRONMENT, sweep};
use probity_research::Code;

use super::{Lab, ask, ended, fake_cli, files};
use crate::harness::{KEY, wait_until};

const BOTH: [CliProcessReuse; 2] = [CliProcessReuse::Spawn, CliProcessReuse::Pool];

#[tokio::test]
async fn a_polite_answer_comes_through_either_way() {
    for reuse in BOTH {
        let lab = Lab::new(reuse);
        let ended = lab.ended("why?").await;
        assert_eq!((ended.outcome, ended.text.as_str()), (Ok(()), "fine"), "{reuse:?}");
    }
}

#[tokio::test]
async fn a_listener_that_is_interrupted_all_the_time_misses_nothing() {
    for reuse in BOTH {
        let lab = Lab::new(reuse);
        let mut running = lab.begin("[[fake pieces]]").await;
        let mut pieces = String::new();
        let ended = loop {
            match tokio::time::timeout(Duration::from_micros(300), running.next()).await {
                Err(_) => {}
                Ok(CliEvent::Wrote(piece)) => pieces.push_str(&piece),
                Ok(CliEvent::Ended(ended)) => break ended,
                Ok(other) => panic!("{other:?}"),
            }
        };
        let expected: String = (0..200).map(|number| format!("{number} ")).collect();
        assert_eq!(
            (pieces.as_str(), ended.text.as_str()),
            (expected.as_str(), expected.as_str()),
            "{reuse:?}"
        );
    }
}

#[tokio::test]
async fn text_that_is_no_text_is_read_as_well_as_it_can_be() {
    let ended = Lab::new(CliProcessReuse::Spawn).ended("[[fake invalid-text]]").await;
    assert_eq!((ended.outcome, ended.text.as_str()), (Ok(()), "a\u{fffd}b"));
}

#[tokio::test]
async fn every_exit_code_arrives_under_its_name() {
    for reuse in BOTH {
        let lab = Lab::new(reuse);
        for (exit, code) in [
            (0, Code::CliNoResult),
            (1, Code::CliFailed),
            (41, Code::CliAuth),
            (52, Code::CliConfiguration),
            (55, Code::CliUntrusted),
            (145, Code::KeyRefused),
            (173, Code::RateLimited),
            (247, Code::ProviderUnavailable),
        ] {
            let ended = lab.ended(&format!("[[fake die {exit}]]")).await;
            assert_eq!(ended.outcome.unwrap_err().code, code, "{exit}");
        }
    }
}

#[tokio::test]
async fn the_child_has_the_listed_environment_and_nothing_else() {
    for reuse in BOTH {
        let ended = Lab::new(reuse).ended("[[fake environment]]").await;
        let found: BTreeSet<&str> = ended.text.split(' ').collect();
        assert_eq!(found, ENVIRONMENT.iter().map(|(name, _)| *name).collect::<BTreeSet<_>>(), "{reuse:?}");
    }
}

#[tokio::test]
async fn the_key_is_in_no_answer_and_in_no_file() {
    for reuse in BOTH {
        let lab = Lab::new(reuse);
        let ended = lab.ended("[[fake tell-key]]").await;
        assert!(!format!("{ended:?}{}", String::from_utf8_lossy(&ended.raw)).contains(KEY), "{reuse:?}");
        let mut running = lab.begin("[[fake silent]]").await;
        tokio::time::timeout(Duration::from_millis(300), running.next()).await.ok();
        let files = files(lab.directory.path());
        assert!(files.len() > 3, "{files:?}");
        for file in files {
            let bytes = fs::read(&file).unwrap_or_default();
            assert!(!bytes.windows(KEY.len()).any(|part| part == KEY.as_bytes()), "{}", file.display());
        }
        running.stop().await;
    }
}

#[tokio::test]
async fn no_at_sign_and_no_command_reaches_the_cli() {
    for reuse in BOTH {
        let ended = Lab::new(reuse).ended("/memory show [[fake echo]] @/etc/passwd bob@example.com").await;
        assert_eq!(ended.text, "Text: /memory show [[fake echo]] @/etc/passwd bob@example.com", "{reuse:?}");
        let raw = String::from_utf8(ended.raw).unwrap();
        assert!(raw.contains("＠/etc/passwd") && !raw.contains('@'), "{raw}");
    }
}

fn with_attachment(prompt: &str) -> CliRequest {
    CliRequest { attachment: Some("invalid output".to_owned()), ..ask(prompt) }
}

/// Files with an attached text below the directory.
fn attached(lab: &Lab) -> Vec<std::path::PathBuf> {
    let mut files = files(lab.directory.path());
    files.retain(|file| file.file_name().unwrap().to_string_lossy().starts_with("temp-invalid-output-"));
    files
}

#[tokio::test]
async fn an_attached_text_is_in_a_file_and_behind_the_prompt_until_the_question_ends() {
    for reuse in BOTH {
        let lab = Lab::new(reuse);
        let running = lab.cli.begin(with_attachment("[[fake echo]] read {{path}}")).await.unwrap();
        let files = attached(&lab);
        assert_eq!(files.len(), 1, "{files:?}");
        assert_eq!(fs::read_to_string(&files[0]).unwrap(), "invalid output");
        let ended = ended(running).await;
        assert!(ended.text.contains(&format!("read {}", files[0].display())), "{}", ended.text);
        assert!(ended.text.ends_with("invalid output\n"), "{}", ended.text);
        assert_eq!(attached(&lab), Vec::<std::path::PathBuf>::new());
        for wish in ["silent", "die 1"] {
            let mut running = lab.cli.begin(with_attachment(&format!("[[fake {wish}]]"))).await.unwrap();
            tokio::time::timeout(Duration::from_millis(100), running.next()).await.ok();
            if wish == "silent" {
                running.stop().await
            } else {
                drop(running)
            }
            assert_eq!(attached(&lab), Vec::<std::path::PathBuf>::new(), "{reuse:?} {wish}");
        }
        assert_eq!(sweep(&lab.directory.path().join("cli")), Ok(0));
    }
}

#[tokio::test]
async fn what_a_killed_owner_left_is_swept_and_counted() {
    let lab = Lab::new(CliProcessReuse::Spawn);
    let left = lab.directory.path().join("cli/run-left/attached");
    fs::create_dir_all(&left).unwrap();
    fs::write(left.join("temp-invalid-output-1-a.txt"), "x").unwrap();
    let mut running = lab.cli.begin(with_attachment("[[fake silent]]")).await.unwrap();
    tokio::time::timeout(Duration::from_millis(100), running.next()).await.ok();
    assert_eq!(sweep(&lab.directory.path().join("cli")), Ok(1));
    assert_eq!(attached(&lab).len(), 1, "the text of a living question stays");
    running.stop().await;
}

#[tokio::test]
async fn a_missing_and_an_old_cli_are_told_apart() {
    let lab = Lab::with_program("/nonexistent/gemini".as_ref(), CliProcessReuse::Spawn);
    let missing = lab.cli.begin(ask("why?")).await.unwrap_err();
    assert_eq!(missing.code, Code::CliNotFound);
    assert!(missing.message.contains("npm install -g @google/gemini-cli"), "{}", missing.message);
    let directory = tempfile::tempdir().unwrap();
    let old = directory.path().join("old-cli");
    symlink(fake_cli(), &old).unwrap();
    assert_eq!(
        Lab::with_program(&old, CliProcessReuse::Pool).cli.version().await.unwrap_err().code,
        Code::CliTooOld
    );
    let new = Lab::new(CliProcessReuse::Spawn);
    assert_eq!(new.cli.version().await, Ok(CliVersion { major: 0, minor: 61, patch: 0 }));
    wait_until("the folder of the version to go", || new.living().is_empty());
}
