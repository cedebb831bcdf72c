//! The private folder of one Chromium: its profile, its home, its temporary files. Removed when the page is
//! rendered.
//!
//! A folder is marked by a lock, so that what a killed owner left can be told from what a living one uses.

use std::{
    fs::{self, DirBuilder, File, OpenOptions},
    io,
    os::unix::fs::{DirBuilderExt as _, OpenOptionsExt as _},
    path::{Path, PathBuf},
    thread,
    time::Duration,
};

const PREFIX: &str = "browser-";
/// Locked while a folder is made and while dead ones are swept: a folder without its lock is half made.
const MAKING: &str = "making.lock";
const HELD: &str = "held.lock";
/// Chromium's stderr.
const LOG: &str = "chromium.log";
/// The end of stderr, which says why Chromium did not start.
const LOG_CHARACTERS: usize = 300;
/// A process that was just killed may still make a file. Twenty times five milliseconds are enough to die.
const REMOVALS_MAX: usize = 20;
const REMOVE_EVERY: Duration = Duration::from_millis(5);

/// A folder that exists. Removed when dropped, by a thread of its own: removing waits for dying processes.
#[derive(Debug)]
pub struct ChromiumProfile {
    path: PathBuf,
    held: Option<File>,
}

impl ChromiumProfile {
    pub fn make(directory: &Path) -> io::Result<Self> {
        DirBuilder::new().recursive(true).mode(0o700).create(directory)?;
        let making = lock_file(&directory.join(MAKING))?;
        making.lock_shared()?;
        let path = directory.join(format!("{PREFIX}{}", random()?));
        DirBuilder::new().mode(0o700).create(&path)?;
        let held = lock_file(&path.join(HELD))?;
        held.lock()?;
        for inner in ["home", "tmp", "data"] {
            DirBuilder::new().mode(0o700).create(path.join(inner))?;
        }
        Ok(Self { path, held: Some(held) })
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

    pub fn data(&self) -> PathBuf {
        self.path.join("data")
    }

    pub fn log(&self) -> io::Result<File> {
        OpenOptions::new().create(true).append(true).mode(0o600).open(self.path.join(LOG))
    }

    /// The last lines of Chromium's stderr.
    pub fn log_tail(&self) -> String {
        let text = fs::read(self.path.join(LOG)).unwrap_or_default();
        let text = String::from_utf8_lossy(&text);
        let count = text.chars().count();
        text.chars().skip(count.saturating_sub(LOG_CHARACTERS)).collect()
    }
}

impl Drop for ChromiumProfile {
    fn drop(&mut self) {
        let (path, held) = (self.path.clone(), self.held.take());
        // Without a thread the next sweep does it.
        thread::Builder::new().name("browser-profile".to_owned()).spawn(move || remove(&path, held)).ok();
    }
}

fn remove(path: &Path, held: Option<File>) {
    for _ in 0..REMOVALS_MAX {
        match fs::remove_dir_all(path) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => thread::sleep(REMOVE_EVERY),
            Ok(()) | Err(_) if !path.exists() => break,
            Ok(()) | Err(_) => {}
        }
    }
    drop(held);
}

/// Removes what killed owners left.
pub fn remove_stale(directory: &Path) -> io::Result<()> {
    if !directory.exists() {
        return Ok(());
    }
    let making = lock_file(&directory.join(MAKING))?;
    making.lock()?;
    for entry in fs::read_dir(directory)?.flatten() {
        if !entry.file_name().to_string_lossy().starts_with(PREFIX) {
            continue;
        }
        let lock = OpenOptions::new().write(true).open(entry.path().join(HELD));
        if lock.as_ref().map_or(true, |lock| lock.try_lock().is_ok()) {
            fs::remove_dir_all(entry.path())?;
        }
    }
    Ok(())
}

fn lock_file(path: &Path) -> io::Result<File> {
    OpenOptions::new().create(true).truncate(false).write(true).mode(0o600).open(path)
}

/// Sixteen random digits: no other user can create the folder before us.
pub fn random() -> io::Result<String> {
    let number = getrandom::u64().map_err(|error| io::Error::other(error.to_string()))?;
    Ok(format!("{number:016x}"))
}

#[cfg(test)]
mod tests {
    use std::{fs, os::unix::fs::PermissionsExt as _, time::Duration};

    use super::{ChromiumProfile, HELD, remove_stale};

    #[test]
    fn a_folder_is_private_and_goes_with_its_owner() {
        let folder = tempfile::tempdir().unwrap();
        let profile = ChromiumProfile::make(folder.path()).unwrap();
        let path = profile.path().to_owned();
        assert_eq!(fs::metadata(&path).unwrap().permissions().mode() & 0o777, 0o700);
        fs::write(profile.data().join("cookies"), "x").unwrap();
        drop(profile);
        let gone = (0..500).any(|_| {
            std::thread::sleep(Duration::from_millis(5));
            !path.exists()
        });
        assert!(gone);
    }

    #[test]
    fn a_sweep_takes_what_the_dead_left_and_nothing_else() {
        let folder = tempfile::tempdir().unwrap();
        let living = ChromiumProfile::make(folder.path()).unwrap();
        let dead = folder.path().join("browser-0123456789abcdef");
        fs::create_dir(&dead).unwrap();
        fs::write(dead.join(HELD), "").unwrap();
        let strangers = folder.path().join("notes");
        fs::create_dir(&strangers).unwrap();
        remove_stale(folder.path()).unwrap();
        assert_eq!((living.path().exists(), dead.exists(), strangers.exists()), (true, false, true));
    }
}
