use std::{
    fs,
    os::unix::fs::{PermissionsExt as _, symlink},
    path::{Path, PathBuf},
    process::Command,
    sync::atomic::{AtomicBool, Ordering},
    thread,
};

use probity_research::{RunId, error::Code, time::Moment};
use probity_testing::export_testbed::{ExportTestbed, HOSTILE_FOLDERS, HOSTILE_PREFIXES};
use proptest::prelude::*;
use tempfile::TempDir;

use super::{FileExportRequest, ReportExporter};

const AT: Moment = Moment(1_794_721_214_123);
const NAME: &str = "research_res_00000000000000000000000000000007_20261115_054014";

fn export<'a>(output_dir: &'a str, filename_prefix: &'a str) -> FileExportRequest<'a> {
    let id = RunId::from_random(7);
    FileExportRequest { output_dir, filename_prefix, id, at: AT, markdown: b"# A report\n" }
}

fn save(root: &Path, output_dir: &str, filename_prefix: &str, markdown: &[u8]) -> Option<PathBuf> {
    let id = RunId::from_random(7);
    let wanted = FileExportRequest { output_dir, filename_prefix, id, at: AT, markdown };
    ReportExporter::new(vec![root.to_owned()]).save(&wanted).ok().map(|saved| saved.path)
}

/// In memory where there is a place for it: these tests sync thousands of files.
fn area() -> TempDir {
    TempDir::new_in("/dev/shm").or_else(|_| TempDir::new()).unwrap()
}

#[test]
fn the_file_is_where_the_seed_says_and_private() {
    let area = area();
    let root = area.path().join("not/there/yet");
    let saved =
        ReportExporter::new(vec![root.clone()]).save(&export("./research_reports", "research")).unwrap();
    assert_eq!(saved.filename, format!("{NAME}.md"));
    assert_eq!(saved.path, root.join("research_reports/2026-11").join(&saved.filename));
    assert_eq!(saved.bytes, 11);
    assert_eq!(fs::read(&saved.path).unwrap(), b"# A report\n");
    let mode = |path: &Path| path.metadata().unwrap().permissions().mode() & 0o777;
    assert_eq!((mode(&saved.path), mode(saved.path.parent().unwrap())), (0o600, 0o700));
}

#[test]
fn nothing_is_overwritten() {
    let area = area();
    let exports = ReportExporter::new(vec![area.path().to_owned()]);
    let names: Vec<String> =
        (0..3).map(|_| exports.save(&export("x", "research")).unwrap().filename).collect();
    assert_eq!(names, [format!("{NAME}.md"), format!("{NAME}-2.md"), format!("{NAME}-3.md")]);
    for number in 4..=100 {
        fs::write(area.path().join(format!("x/2026-11/{NAME}-{number}.md")), "").unwrap();
    }
    let problem = exports.save(&export("x", "research")).unwrap_err();
    assert_eq!(problem.code, Code::OutputPath);
    assert!(
        problem.message.ends_with("cannot be written: too many files of this name"),
        "{}",
        problem.message
    );
}

#[test]
fn absolute_folders_must_lie_inside_a_root() {
    let area = area();
    let (one, two) = (area.path().join("one"), area.path().join("two"));
    fs::create_dir(&two).unwrap();
    symlink(&two, area.path().join("alias")).unwrap();
    let exports = ReportExporter::new(vec![one.clone(), area.path().join("alias")]);
    for (folder, root) in
        [(one.join("x"), one), (area.path().join("alias/x"), two.clone()), (two.join("x"), two.clone())]
    {
        let saved = exports.save(&export(folder.to_str().unwrap(), "research")).unwrap();
        assert!(saved.path.canonicalize().unwrap().starts_with(root), "{saved:?}");
    }
    for outside in
        [area.path().join("three"), area.path().to_owned(), two.join("../three"), PathBuf::from("/etc")]
    {
        let problem = exports.save(&export(outside.to_str().unwrap(), "research")).unwrap_err();
        assert_eq!(problem.code, Code::OutputPath, "{outside:?}");
    }
}

#[track_caller]
fn refused(folder: &str, prefix: &str, expected: &str) {
    let area = area();
    let problem =
        ReportExporter::new(vec![area.path().to_owned()]).save(&export(folder, prefix)).unwrap_err();
    assert_eq!((problem.code, problem.message.as_str()), (Code::OutputPath, expected));
    assert_eq!(fs::read_dir(area.path()).unwrap().count(), 0);
}

#[test]
fn a_refusal_says_what_is_wrong() {
    refused("../x", "research", "`../x` is no folder for reports: `..` is not followed");
    refused("~/x", "research", "`~/x` is no folder for reports: `~` is not followed; write the path in full");
    refused("a/NUL.txt", "research", "`a/NUL.txt` is no folder for reports: the name is reserved on Windows");
    refused("x", "a/b", "`a/b` cannot begin a file name: use letters, digits, `_`, `-` and `.` only");
    refused("x", "-rf", "`-rf` cannot begin a file name: it must begin with a letter, a digit or `_`");
}

#[test]
fn a_link_that_leaves_is_said() {
    let area = area();
    let playground = ExportTestbed::new(area.path(), save).unwrap();
    let problem =
        ReportExporter::new(vec![playground.root()]).save(&export("leaves", "research")).unwrap_err();
    assert_eq!(problem.code, Code::OutputPath);
    assert!(problem.message.starts_with("a link leads from"), "{}", problem.message);
}

#[test]
fn no_hostile_word_escapes() {
    let area = area();
    let playground = ExportTestbed::new(area.path(), save).unwrap();
    let mut written = 0;
    for folder in HOSTILE_FOLDERS {
        for prefix in HOSTILE_PREFIXES {
            written += u32::from(playground.check(folder, prefix).unwrap());
        }
    }
    assert!(written > 0, "nothing was written at all");
}

fn words(known: &'static [&'static str]) -> impl Strategy<Value = String> {
    let known = prop::sample::select(known.to_vec()).prop_map(str::to_owned);
    let part = prop_oneof![4 => known, 1 => any::<String>(), 1 => "[a-z]{1,8}", 1 => "x{200,300}"];
    prop::collection::vec(part, 1..5).prop_map(|parts| parts.join("/"))
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(600))]

    #[test]
    fn nothing_escapes(folder in words(HOSTILE_FOLDERS), prefix in prop_oneof![words(HOSTILE_PREFIXES), "[a-z._-]{1,70}"]) {
        let area = area();
        let playground = ExportTestbed::new(area.path(), save).unwrap();
        let absolute = format!("{}/{folder}", playground.root().display());
        for folder in [folder.as_str(), &absolute] {
            for prefix in [prefix.as_str(), "research"] {
                if let Err(broken) = playground.check(folder, prefix) {
                    return Err(TestCaseError::fail(broken));
                }
            }
        }
    }
}

/// While files are saved, the folder keeps turning into a link that leads out.
#[test]
fn a_folder_that_becomes_a_link_meanwhile_leads_nowhere() {
    let area = area();
    let (root, outside) = (area.path().join("root"), area.path().join("outside"));
    for folder in [&root, &outside, &outside.join("2026-11")] {
        fs::create_dir_all(folder).unwrap();
    }
    let (folder, aside) = (root.join("x"), root.join("aside"));
    let done = AtomicBool::new(false);
    let exports = ReportExporter::new(vec![root.clone()]);
    let (saved, refused) = thread::scope(|scope| {
        scope.spawn(|| {
            while !done.load(Ordering::Relaxed) {
                // Either step fails when a save has just made the folder anew; the next round goes on.
                drop(fs::rename(&folder, &aside));
                drop(symlink(&outside, &folder));
                thread::yield_now();
                drop(fs::remove_file(&folder));
                drop(fs::rename(&aside, &folder));
                if aside.exists() {
                    drop(fs::remove_dir_all(&aside));
                }
            }
        });
        let results: Vec<_> = (0..200).map(|_| exports.save(&export("x", "research"))).collect();
        done.store(true, Ordering::Relaxed);
        let saved = results.iter().filter(|result| result.is_ok()).count();
        (saved, results.len() - saved)
    });
    println!("{saved} saved, {refused} refused while the folder was swapped");
    let escaped: Vec<_> =
        fs::read_dir(outside.join("2026-11")).unwrap().flatten().map(|entry| entry.path()).collect();
    assert_eq!(escaped, Vec::<PathBuf>::new());
    assert_eq!(fs::read_dir(&outside).unwrap().count(), 1);
}

/// Unmounts what was mounted, also when the test fails.
struct TestMount<'a>(&'a Path);

impl Drop for TestMount<'_> {
    fn drop(&mut self) {
        let ended = command("umount", &[self.0.to_str().unwrap()]);
        assert!(ended || thread::panicking(), "the small disk stays mounted");
    }
}

#[expect(clippy::disallowed_methods, reason = "a full disk is made with the system's own commands")]
fn command(program: &str, arguments: &[&str]) -> bool {
    Command::new(program).args(arguments).output().is_ok_and(|output| output.status.success())
}

#[test]
fn a_full_disk_names_the_place_and_the_bytes_and_leaves_nothing() {
    let area = area();
    let disk = area.path().join("disk");
    fs::create_dir(&disk).unwrap();
    let mount = ["-t", "tmpfs", "-o", "size=64k", "none", disk.to_str().unwrap()];
    if !command("mount", &mount) {
        println!("skipped: mounting a small disk needs root");
        return;
    }
    let _mounted = TestMount(&disk);
    let markdown = vec![b'x'; 200_000];
    let wanted = FileExportRequest { markdown: &markdown, ..export("x", "research") };
    let problem = ReportExporter::new(vec![disk.clone()]).save(&wanted).unwrap_err();
    let expected = format!("no room for 200000 bytes in `{}/x/2026-11`", disk.display());
    assert_eq!((problem.code, problem.message), (Code::StoreFull, expected));
    assert_eq!(fs::read_dir(disk.join("x/2026-11")).unwrap().count(), 0);
}
