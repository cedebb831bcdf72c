//! The program on disk: unpacked from an archive, tried, put in the place of the old one, which is kept beside it.
#![expect(
    clippy::disallowed_methods,
    reason = "starts the new program once before it takes the old one's place"
)]

use std::{
    fs,
    io::{self, Read as _, Write as _},
    os::unix::fs::OpenOptionsExt as _,
    path::{Path, PathBuf},
    process::Stdio,
    time::Duration,
};

use flate2::read::GzDecoder;
use tokio::process::Command;

/// A program is smaller; a packed bomb is not.
const PROGRAM_BYTES_MAX: u64 = 512 * 1024 * 1024;
/// Saying its version takes a program some milliseconds.
const ANSWER_MAX: Duration = Duration::from_secs(20);
const PREVIOUS: &str = "probity.previous";
const NEW: &str = ".probity.new";

/// Where the program that was replaced last is kept.
pub fn previous(program: &Path) -> PathBuf {
    program.with_file_name(PREVIOUS)
}

/// The file of that name in a `.tar.gz`.
pub fn unpack(archive: &[u8], name: &str) -> io::Result<Vec<u8>> {
    let mut files = tar::Archive::new(GzDecoder::new(archive));
    for file in files.entries()? {
        let file = file?;
        if file.header().entry_type().is_file() && file.path()? == Path::new(name) {
            let mut bytes = Vec::new();
            file.take(PROGRAM_BYTES_MAX).read_to_end(&mut bytes)?;
            return Ok(bytes);
        }
    }
    Err(io::Error::other(format!("the archive has no file {name}")))
}

/// Written beside the program, so that taking its place is one rename.
pub fn write_new(program: &Path, bytes: &[u8]) -> io::Result<PathBuf> {
    let path = program.with_file_name(NEW);
    remove(&path)?;
    let mut file = fs::OpenOptions::new().write(true).create_new(true).mode(0o755).open(&path)?;
    file.write_all(bytes)?;
    file.sync_all()?;
    Ok(path)
}

/// What the program says its version is: the second word of its first line.
pub async fn version_of(program: &Path) -> io::Result<String> {
    let asked = Command::new(program)
        .arg("--version")
        .stdin(Stdio::null())
        .stderr(Stdio::null())
        .kill_on_drop(true)
        .output();
    let answer = tokio::time::timeout(ANSWER_MAX, asked)
        .await
        .map_err(|_| io::Error::other("it does not answer"))??;
    let said = String::from_utf8_lossy(&answer.stdout);
    let version = said.split_whitespace().nth(1).filter(|_| answer.status.success());
    version.map(str::to_owned).ok_or_else(|| io::Error::other("it does not say its version"))
}

/// Puts `new` in the program's place; the old one is kept. At every moment one of the two is there.
pub fn replace(program: &Path, new: &Path) -> io::Result<()> {
    let previous = previous(program);
    let kept = program.with_file_name(".probity.kept");
    remove(&kept)?;
    if fs::hard_link(program, &kept).is_err() {
        // Some file systems have no second name for a file.
        fs::copy(program, &kept)?;
    }
    fs::rename(&kept, &previous)?;
    fs::rename(new, program)?;
    // The names survive a power cut only once the folder is on disk.
    match program.parent() {
        Some(folder) => fs::File::open(folder)?.sync_all(),
        None => Ok(()),
    }
}

/// The program that was replaced, back in its place; the one that was there is kept instead.
pub fn go_back(program: &Path) -> io::Result<()> {
    let kept = program.with_file_name(NEW);
    remove(&kept)?;
    fs::rename(previous(program), &kept)?;
    replace(program, &kept)
}

/// Whether something was there.
pub fn remove(path: &Path) -> io::Result<bool> {
    match fs::remove_file(path) {
        Ok(()) => Ok(true),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(false),
        Err(error) => Err(error),
    }
}
