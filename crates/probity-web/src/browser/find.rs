//! Where Chromium is: at the configured path, or along PATH under one of its names.

use std::{
    ffi::OsStr,
    fs,
    os::unix::fs::PermissionsExt as _,
    path::{Path, PathBuf},
};

use probity_types::error::{Code, CodedError};

/// The shell first: the same engine without the windows, and it starts faster.
const NAMES: [&str; 7] = [
    "chromium-headless-shell",
    "chrome-headless-shell",
    "chromium",
    "chromium-browser",
    "google-chrome-stable",
    "google-chrome",
    "chrome",
];

/// A Chromium that can be started, as an absolute path.
pub fn find(program: Option<&Path>, path: &OsStr) -> Result<PathBuf, CodedError> {
    let found = match program {
        Some(program) => is_program(program).then(|| program.to_owned()),
        None => NAMES.iter().find_map(|name| along(path, name)),
    };
    found.and_then(|found| std::path::absolute(found).ok()).ok_or_else(|| {
        let place = program.map(|program| format!(" at {}", program.display())).unwrap_or_default();
        CodedError::new(Code::BrowserMissing, &format!("Chromium was not found{place}"))
    })
}

fn along(path: &OsStr, name: &str) -> Option<PathBuf> {
    let directories = std::env::split_paths(path).filter(|directory| directory.is_absolute());
    directories.map(|directory| directory.join(name)).find(|candidate| is_program(candidate))
}

fn is_program(path: &Path) -> bool {
    fs::metadata(path).is_ok_and(|found| found.is_file() && found.permissions().mode() & 0o111 != 0)
}

#[cfg(test)]
mod tests {
    use std::{ffi::OsString, fs, os::unix::fs::PermissionsExt as _, path::Path};

    use probity_types::error::Code;

    use super::find;

    #[test]
    fn the_shell_is_preferred_and_a_file_that_cannot_run_is_none() {
        let folder = tempfile::tempdir().unwrap();
        let path = OsString::from(folder.path());
        let put = |name: &str, mode: u32| {
            let file = folder.path().join(name);
            fs::write(&file, "#!/bin/sh\n").unwrap();
            fs::set_permissions(&file, fs::Permissions::from_mode(mode)).unwrap();
        };
        assert_eq!(find(None, &path).unwrap_err().code, Code::BrowserMissing);
        put("chromium-headless-shell", 0o600);
        put("chromium", 0o700);
        assert_eq!(find(None, &path).unwrap(), folder.path().join("chromium"));
        put("chromium-headless-shell", 0o700);
        assert_eq!(find(None, &path).unwrap(), folder.path().join("chromium-headless-shell"));
        let missing = find(Some(Path::new("/nowhere/chromium")), &path).unwrap_err();
        assert!(missing.message.contains("/nowhere/chromium"), "{missing}");
    }
}
