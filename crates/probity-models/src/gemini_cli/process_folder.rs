//! The private folder of one process: its home, its temporary files, its empty working directory.
//!
//! A folder is marked by locks, so that what a dead owner left can be told from what a living one uses.
//! Never contains the key: that is only in the child's environment. Entries of MCP servers that the user named are in
//! it, with whatever secrets the user wrote into them.

mod sweep;

use std::{
    fs::{self, DirBuilder, File, OpenOptions},
    io::{self, Write as _},
    os::unix::fs::{DirBuilderExt as _, OpenOptionsExt as _, PermissionsExt as _},
    path::{Path, PathBuf},
    time::UNIX_EPOCH,
};

use probity_research::error::{Code, CodedError};
use rustix::fs::{FlockOperation, flock};

use super::{mcp_servers::CliMcpServers, prompt};

pub use sweep::sweep;

/// The prefix of process folders.
const RUN_PREFIX: &str = "run-";
/// Locked while a folder is made and while dead ones are swept: a folder without its lock is half made.
const MAKING: &str = "making.lock";
/// Locked by the owner and by the supervisor for as long as they live.
const HELD: &str = "held.lock";
/// The prefix of attached texts; a crash leaves them, a sweep finds them.
const ATTACHED_PREFIX: &str = "temp-invalid-output-";
const ATTACHED_SUFFIX: &str = ".txt";

const POLICY: &str = include_str!("policy.toml");
/// All that the policy lets the CLI do; a test reads the policy for it.
pub const ALLOWED_TOOLS: [&str; 3] = ["google_web_search", "web_fetch", "read_file"];

/// The CLI's settings. Its ten attempts over four and a half minutes become one: a call that it retries by
/// itself may be billed twice, unrecorded. Telemetry is off. Thirty turns: a round that searches five times
/// and reads a dozen pages has half of that.
const SETTINGS: &str = r#"{
  "security": { "auth": { "selectedType": "gemini-api-key" } },
  "general": { "maxAttempts": 1, "enableAutoUpdate": false, "enableAutoUpdateNotification": false },
  "privacy": { "usageStatisticsEnabled": false },
  "telemetry": { "enabled": false },
  "model": { "maxSessionTurns": 30 },
  "context": { "includeDirectoryTree": false }
}
"#;

/// A folder that exists. Removed when dropped.
#[derive(Debug)]
pub struct ProcessFolder {
    path: PathBuf,
    /// Shared with the supervisor; a process that can take it exclusively knows that both are dead.
    _held: File,
}

impl ProcessFolder {
    /// A new folder below `directory`, with everything in it that the CLI reads.
    pub fn make(directory: &Path, system_prompt: &str, mcp: &CliMcpServers) -> Result<Self, CodedError> {
        Self::try_make(directory, system_prompt, mcp)
            .map_err(|error| folder_error("make a folder for the Gemini CLI", directory, &error))
    }

    fn try_make(directory: &Path, system_prompt: &str, mcp: &CliMcpServers) -> io::Result<Self> {
        private_directory(directory)?;
        let making = lock_file(&directory.join(MAKING))?;
        flock(&making, FlockOperation::LockShared)?;
        let path = directory.join(format!("{RUN_PREFIX}{}", random()?));
        DirBuilder::new().mode(0o700).create(&path)?;
        let held = lock_file(&path.join(HELD))?;
        flock(&held, FlockOperation::LockShared)?;
        drop(making);
        let folder = Self { path, _held: held };
        for inner in [folder.home().join(".gemini"), folder.temporary(), folder.work(), folder.attached()] {
            DirBuilder::new().recursive(true).mode(0o700).create(inner)?;
        }
        write_private(&folder.home().join(".gemini/settings.json"), &mcp.in_settings(SETTINGS))?;
        write_private(&folder.policy(), &mcp.in_policy(POLICY))?;
        let system_prompt = mcp.in_prompt(system_prompt);
        write_private(&folder.system_prompt(), &format!("{system_prompt}\n\n{}\n", prompt::NOTE))?;
        Ok(folder)
    }

    pub fn path(&self) -> &Path {
        &self.path
    }

    pub fn home(&self) -> PathBuf {
        self.path.join("home")
    }

    pub fn temporary(&self) -> PathBuf {
        self.path.join("tmp")
    }

    /// The CLI's working directory. Empty, so that no prompt can name a file in it.
    pub fn work(&self) -> PathBuf {
        self.path.join("work")
    }

    /// The second directory of the CLI's workspace: attached texts, for as long as they are needed.
    pub fn attached(&self) -> PathBuf {
        self.path.join("attached")
    }

    pub fn policy(&self) -> PathBuf {
        self.path.join("policy.toml")
    }

    pub fn system_prompt(&self) -> PathBuf {
        self.path.join("system.md")
    }

    /// Writes an attached text, in lines that the CLI does not cut.
    pub fn attach(&self, text: &str) -> Result<AttachmentFile, CodedError> {
        self.attached_file(text)
            .map_err(|error| folder_error("write the text to correct", &self.path, &error))
    }

    fn attached_file(&self, text: &str) -> io::Result<AttachmentFile> {
        // The file system's clock gives the time of the name; nothing depends on it.
        let now = File::create(self.path.join("clock"))?.metadata()?.modified()?;
        let seconds = now.duration_since(UNIX_EPOCH).map_or(0, |since| since.as_secs());
        let name = format!("{ATTACHED_PREFIX}{seconds}-{}{ATTACHED_SUFFIX}", random()?);
        let attached = AttachmentFile { path: self.attached().join(name) };
        write_private(&attached.path, &prompt::wrap_lines(text))?;
        Ok(attached)
    }
}

impl Drop for ProcessFolder {
    fn drop(&mut self) {
        // The supervisor may still be ending the CLI in it; it removes what is left when it is done.
        if let Err(error) = fs::remove_dir_all(&self.path)
            && error.kind() != io::ErrorKind::NotFound
        {
            tracing::debug!(%error, "supervisor removes the rest of the folder");
        }
    }
}

/// An attached text on disk. Deleted when dropped, whatever happened.
#[derive(Debug)]
pub struct AttachmentFile {
    path: PathBuf,
}

impl AttachmentFile {
    pub fn path(&self) -> &Path {
        &self.path
    }
}

impl Drop for AttachmentFile {
    fn drop(&mut self) {
        match fs::remove_file(&self.path) {
            Ok(()) => {}
            Err(error) if error.kind() == io::ErrorKind::NotFound => {}
            Err(error) => {
                tracing::error!(%error, path = %self.path.display(), "the attached text was not deleted")
            }
        }
    }
}

/// Takes a shared lock on a folder, for the supervisor.
pub fn lock_folder(folder: &Path) -> io::Result<File> {
    let held = lock_file(&folder.join(HELD))?;
    flock(&held, FlockOperation::LockShared)?;
    Ok(held)
}

/// Makes the directory, or checks that no other user can read the one that is there.
fn private_directory(directory: &Path) -> io::Result<()> {
    DirBuilder::new().recursive(true).mode(0o700).create(directory)?;
    let found = fs::symlink_metadata(directory)?;
    if !found.is_dir() {
        return Err(io::Error::new(io::ErrorKind::NotADirectory, "it is not a directory"));
    }
    if found.permissions().mode() & 0o077 != 0 {
        fs::set_permissions(directory, fs::Permissions::from_mode(0o700))?;
    }
    Ok(())
}

fn lock_file(path: &Path) -> io::Result<File> {
    OpenOptions::new().create(true).truncate(false).write(true).mode(0o600).open(path)
}

fn write_private(path: &Path, text: &str) -> io::Result<()> {
    let mut file = OpenOptions::new().create_new(true).write(true).mode(0o600).open(path)?;
    file.write_all(text.as_bytes())
}

/// Sixteen hexadecimal digits that cannot be guessed.
fn random() -> io::Result<String> {
    let number = getrandom::u64().map_err(io::Error::other)?;
    Ok(format!("{number:016x}"))
}

fn folder_error(doing: &str, path: &Path, error: &io::Error) -> CodedError {
    let code = match error.kind() {
        io::ErrorKind::StorageFull | io::ErrorKind::QuotaExceeded => Code::StoreFull,
        io::ErrorKind::ReadOnlyFilesystem => Code::StoreReadOnly,
        _ => Code::StoreFailed,
    };
    CodedError::new(code, &format!("could not {doing} in {}: {error}", path.display()))
}

#[cfg(test)]
mod tests;
