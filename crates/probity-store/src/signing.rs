//! The private key that signs evidence bundles: one file, made once, readable by its owner only. Never leaves
//! here.

use std::path::{Path, PathBuf};

use probity_research::error::{Code, CodedError};

use crate::{error::Error, files};

/// A private key of this kind has 48 to 83 bytes.
const KEY_BYTES_MAX: u64 = 4 * 1024;

/// Where the key of a data directory is.
pub fn signing_key_path(directory: &Path) -> PathBuf {
    directory.join("signing-key")
}

/// The key of this data directory; `fresh` makes one where there is none yet.
pub fn signing_key(
    directory: &Path,
    fresh: impl FnOnce() -> Result<Vec<u8>, CodedError>,
) -> Result<Vec<u8>, CodedError> {
    let path = signing_key_path(directory);
    let work = || {
        files::private_directory(directory)?;
        // Two processes at once must not sign with two keys.
        let lock_path = directory.join("signing-key.lock");
        let lock =
            files::private_file_kept(&lock_path).map_err(|source| Error::file("open", &lock_path, source))?;
        if let Err(error) = lock.lock() {
            tracing::warn!(%error, "no file locks here; do not make the signing key from two places at once");
        }
        if let Some(key) = read(&path)? {
            return Ok(key);
        }
        let key = fresh()?;
        let unfinished = directory.join("signing-key.new");
        files::remove(&unfinished);
        files::write_whole(&path, &unfinished, &key)?;
        Ok(key)
    };
    work().map_err(|error: Error| error.problem(&path, 0))
}

/// Refuses a file that others may read: they could sign in its owner's name.
fn read(path: &Path) -> Result<Option<Vec<u8>>, Error> {
    match files::length(path) {
        None => return Ok(None),
        Some(bytes) if bytes > KEY_BYTES_MAX => {
            let message = format!("`{}` is no signing key", path.display());
            return Err(CodedError::new(Code::Settings, &message).into());
        }
        Some(_) => {}
    }
    if let Some(mode) = files::mode_for_others(path) {
        let message = format!("`{}` is open to other users (mode {mode:o})", path.display());
        return Err(CodedError::new(Code::TokenExposed, &message).into());
    }
    files::read(path)
}

#[cfg(test)]
mod tests {
    use probity_research::error::{Code, CodedError};

    use super::{signing_key, signing_key_path};

    #[test]
    fn a_key_is_made_once_and_stays() {
        let directory = tempfile::tempdir().unwrap();
        let made = signing_key(directory.path(), || Ok(vec![1; 48])).unwrap();
        let again =
            signing_key(directory.path(), || Err(CodedError::new(Code::Settings, "not asked"))).unwrap();
        assert_eq!((made.len(), &made), (48, &again));
    }

    #[cfg(unix)]
    #[test]
    fn a_key_is_private_and_one_that_is_not_is_refused() {
        use std::os::unix::fs::PermissionsExt as _;
        let directory = tempfile::tempdir().unwrap();
        signing_key(directory.path(), || Ok(vec![1; 48])).unwrap();
        let path = signing_key_path(directory.path());
        assert_eq!(std::fs::metadata(&path).unwrap().permissions().mode() & 0o777, 0o600);
        std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o640)).unwrap();
        let refused = signing_key(directory.path(), || Ok(Vec::new())).unwrap_err();
        assert_eq!(refused.code, Code::TokenExposed);
        assert!(refused.message.contains("signing-key"), "{}", refused.message);
    }
}
