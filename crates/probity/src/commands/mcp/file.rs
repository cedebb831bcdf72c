//! One settings file of another program: read with bounds, backed up, and replaced atomically or not at all.

use std::{
    fs::{self, OpenOptions},
    io::{self, Read as _, Write as _},
    os::unix::fs::{MetadataExt as _, OpenOptionsExt as _, PermissionsExt as _},
    path::{Path, PathBuf},
};

use probity_clients::FILE_BYTES_MAX;
use probity_research::Code;

use super::clients::ConfigScope;
use crate::{command_error::CommandError, environment};

/// The suffix of a backup.
const BACKUP: &str = "probity-backup";
/// Backups of one file; more failed undos than this need a person.
const BACKUPS_MAX: usize = 9;
/// Only the user may read what we create: settings contain tokens.
const PRIVATE: u32 = 0o600;
/// Files of a project are readable by all who have the project.
const SHARED: u32 = 0o644;

/// A file as it was when it was read.
#[derive(Debug)]
pub struct ClientFile {
    /// Where the bytes are: links are followed once, here.
    pub path: PathBuf,
    /// `None`: there is no file.
    pub text: Option<String>,
    mode: u32,
}

impl ClientFile {
    pub fn open(named: &Path, scope: ConfigScope) -> Result<Self, CommandError> {
        let fresh = match scope {
            ConfigScope::User => PRIVATE,
            ConfigScope::Project => SHARED,
        };
        let path = match fs::symlink_metadata(named) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => {
                return Ok(Self { path: named.to_owned(), text: None, mode: fresh });
            }
            Err(error) => return Err(unreadable(named).with_cause(&error)),
            Ok(found) if found.is_symlink() => resolve_links(named, scope)?,
            Ok(_) => named.to_owned(),
        };
        let found = fs::metadata(&path).map_err(|error| unreadable(&path).with_cause(&error))?;
        let own = found.uid() == rustix::process::geteuid().as_raw();
        if !found.is_file() || !own {
            let why = if own { "is not a file" } else { "belongs to somebody else" };
            return Err(refused(&path, why));
        }
        let text = read(&path)?;
        Ok(Self { path, text: Some(text), mode: found.permissions().mode() & 0o7777 })
    }

    /// Replaces the file, unless another program changed it since it was read.
    pub fn replace(&self, text: &str) -> Result<(), CommandError> {
        let folder = self.path.parent().unwrap_or(Path::new("/"));
        let unwritten = |error: &io::Error| unwritable(&self.path).with_cause(error);
        fs::create_dir_all(folder).map_err(|error| unwritten(&error))?;
        let temporary = beside(&self.path, &format!("probity-{}", std::process::id()));
        let written = self.write(&temporary, text);
        if written.is_err()
            && let Err(error) = fs::remove_file(&temporary)
        {
            tracing::debug!(%error, "no temporary file to remove");
        }
        written
    }

    fn write(&self, temporary: &Path, text: &str) -> Result<(), CommandError> {
        let unwritten = |error: &io::Error| unwritable(&self.path).with_cause(error);
        let mut file = OpenOptions::new()
            .write(true)
            .create_new(true)
            .mode(PRIVATE)
            .open(temporary)
            .map_err(|error| unwritten(&error))?;
        file.write_all(text.as_bytes())
            .and_then(|()| file.set_permissions(fs::Permissions::from_mode(self.mode)))
            .and_then(|()| file.sync_all())
            .map_err(|error| unwritten(&error))?;
        self.unchanged()?;
        fs::rename(temporary, &self.path).map_err(|error| unwritten(&error))
    }

    pub fn delete(&self) -> Result<(), CommandError> {
        self.unchanged()?;
        fs::remove_file(&self.path).map_err(|error| unwritable(&self.path).with_cause(&error))
    }

    /// Clients write their files too.
    fn unchanged(&self) -> Result<(), CommandError> {
        let now = match fs::symlink_metadata(&self.path) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => None,
            _ => Some(read(&self.path)?),
        };
        if now == self.text {
            return Ok(());
        }
        let message = format!("{} was changed by somebody else just now", self.path.display());
        Err(CommandError::new(Code::OutputPath, &message).with_hint("run the same command again"))
    }

    /// Keeps the present bytes beside the file. An older backup is never overwritten.
    pub fn back_up(&self) -> Result<Option<PathBuf>, CommandError> {
        let Some(text) = &self.text else { return Ok(None) };
        for number in 1..=BACKUPS_MAX {
            let path = backup(&self.path, number);
            let made = OpenOptions::new().write(true).create_new(true).mode(PRIVATE).open(&path);
            match made {
                Ok(mut file) => {
                    let kept = file.write_all(text.as_bytes()).and_then(|()| file.sync_all());
                    kept.map_err(|error| unwritable(&path).with_cause(&error))?;
                    return Ok(Some(path));
                }
                Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {
                    if read(&path).is_ok_and(|kept| kept == *text) {
                        return Ok(Some(path));
                    }
                }
                Err(error) => return Err(unwritable(&path).with_cause(&error)),
            }
        }
        let message = format!("{} has {BACKUPS_MAX} backups beside it", self.path.display());
        Err(CommandError::new(Code::OutputPath, &message).with_hint(format!(
            "look at them and delete what you do not need: `ls {}*`",
            backup(&self.path, 1).display()
        )))
    }

    /// The newest backup and its text.
    pub fn newest_backup(&self) -> Option<(PathBuf, String)> {
        let paths = (1..=BACKUPS_MAX).rev().map(|number| backup(&self.path, number));
        paths.into_iter().find_map(|path| {
            let is_file = fs::symlink_metadata(&path).is_ok_and(|found| found.is_file());
            let text = read(&path).ok().filter(|_| is_file)?;
            Some((path, text))
        })
    }
}

fn backup(path: &Path, number: usize) -> PathBuf {
    let ending = if number == 1 { BACKUP.to_owned() } else { format!("{BACKUP}-{number}") };
    beside(path, &ending)
}

fn beside(path: &Path, ending: &str) -> PathBuf {
    let mut name = path.file_name().unwrap_or_default().to_owned();
    name.push(".");
    name.push(ending);
    path.with_file_name(name)
}

/// A project may contain links: they must not lead out of it.
fn resolve_links(named: &Path, scope: ConfigScope) -> Result<PathBuf, CommandError> {
    let real =
        fs::canonicalize(named).map_err(|error| refused(named, "is a link to nowhere").with_cause(&error))?;
    if scope == ConfigScope::Project {
        let project = environment::working_directory().and_then(|here| fs::canonicalize(here).ok());
        if !project.is_some_and(|project| real.starts_with(project)) {
            return Err(refused(named, "is a link that leads out of the project"));
        }
    }
    Ok(real)
}

fn read(path: &Path) -> Result<String, CommandError> {
    let mut bytes = Vec::new();
    let file = fs::File::open(path).map_err(|error| unreadable(path).with_cause(&error))?;
    let limit = FILE_BYTES_MAX as u64 + 1;
    file.take(limit).read_to_end(&mut bytes).map_err(|error| unreadable(path).with_cause(&error))?;
    if bytes.len() > FILE_BYTES_MAX {
        return Err(refused(path, &format!("has more than {FILE_BYTES_MAX} bytes")));
    }
    String::from_utf8(bytes).map_err(|_| refused(path, "is not text in UTF-8"))
}

fn unreadable(path: &Path) -> CommandError {
    CommandError::new(Code::Settings, &format!("could not read {}", path.display()))
        .with_hint("look at it with `ls -l`, then run the same command again")
}

fn unwritable(path: &Path) -> CommandError {
    CommandError::new(Code::OutputPath, &format!("could not write {}", path.display()))
        .with_hint("make the file and its folder writable, then run the same command again")
}

fn refused(path: &Path, why: &str) -> CommandError {
    CommandError::new(Code::Settings, &format!("{} {why}, and was left alone", path.display()))
        .with_hint("see what to add by hand with `probity mcp install --dry-run`")
}
