//! Tokens of `probity serve`: the machine's own in a file that only its owner may read, those of others as
//! hashes. Never prints one, and makes none: randomness comes in as an argument.

use std::{
    fmt,
    fs::File,
    path::{Path, PathBuf},
};

use probity_research::{
    error::{Code, CodedError},
    principal::Principal,
};

use crate::{error::Error, files};

/// Written before the digits, so that a token is recognised where it should not be.
const PREFIX: &str = "pbt_";
/// 256 bits in hexadecimal.
const DIGITS: usize = 64;
/// People who share one server; every request compares with each of them.
const NAMED_MAX: usize = 256;
/// Longest file that is read: every name and hash at their longest, twice over.
const FILE_BYTES_MAX: u64 = 64 * 1024;

/// A token in clear. Its `Debug` hides it.
#[derive(Clone, PartialEq, Eq)]
pub struct ServeToken(String);

impl ServeToken {
    pub fn from_random(bytes: [u8; 32]) -> Self {
        Self(format!("{PREFIX}{}", blake3::Hash::from_bytes(bytes).to_hex()))
    }

    fn parse(text: &str) -> Option<Self> {
        let digits = text.strip_prefix(PREFIX)?;
        let fits = digits.len() == DIGITS && digits.bytes().all(|byte| byte.is_ascii_hexdigit());
        fits.then(|| Self(text.to_owned()))
    }

    /// For the one place that prints it, and for its owner's requests.
    pub fn reveal(&self) -> &str {
        &self.0
    }

    /// What is compared and kept.
    pub fn hash(&self) -> blake3::Hash {
        blake3::hash(self.0.as_bytes())
    }
}

impl fmt::Debug for ServeToken {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str("Token(hidden)")
    }
}

/// The files in the data directory.
#[derive(Debug, Clone)]
pub struct TokenFiles {
    directory: PathBuf,
}

impl TokenFiles {
    pub fn in_directory(directory: &Path) -> Self {
        Self { directory: directory.to_owned() }
    }

    /// The same; the directory is made if it is not there.
    pub fn create_in(directory: &Path) -> Result<Self, CodedError> {
        crate::files::make_directory(directory).map_err(|error| error.problem(directory, 0))?;
        Ok(Self::in_directory(directory))
    }

    /// Where the machine's own token is.
    pub fn own_path(&self) -> PathBuf {
        self.directory.join("serve.token")
    }

    /// Where the hashes of the named ones are.
    pub fn named_path(&self) -> PathBuf {
        self.directory.join("serve.principals")
    }

    /// The machine's own token, made from `random` if there is none yet.
    pub fn own_token(&self, random: [u8; 32]) -> Result<ServeToken, CodedError> {
        let path = self.own_path();
        let work = || {
            let _lock = self.lock()?;
            if let Some(text) = read_private(&path)? {
                return ServeToken::parse(text.trim()).ok_or_else(|| unreadable(&path));
            }
            let token = ServeToken::from_random(random);
            self.write(&path, &format!("{}\n", token.0))?;
            Ok(token)
        };
        work().map_err(|error| token_problem(&error, &path))
    }

    /// All named tokens, by name.
    pub fn named_tokens(&self) -> Result<Vec<(blake3::Hash, Principal)>, CodedError> {
        let path = self.named_path();
        self.read_named(&path).map_err(|error| token_problem(&error, &path))
    }

    /// Stores the hash of a new token for `principal`. A token it had before is replaced.
    pub fn add(&self, principal: &Principal, random: [u8; 32]) -> Result<ServeToken, CodedError> {
        let token = ServeToken::from_random(random);
        self.change(|named| {
            named.retain(|(_, other)| other != principal);
            if named.len() >= NAMED_MAX {
                let message = format!("there are {NAMED_MAX} names already; remove one first");
                return Err(CodedError::new(Code::Settings, &message).into());
            }
            named.push((token.hash(), principal.clone()));
            Ok(())
        })?;
        Ok(token)
    }

    /// From now on the token of `principal` is refused.
    pub fn remove(&self, principal: &Principal) -> Result<(), CodedError> {
        self.change(|named| {
            let before = named.len();
            named.retain(|(_, other)| other != principal);
            if named.len() == before {
                let message = format!("`{}` has no token", principal.as_str());
                return Err(CodedError::new(Code::Settings, &message).into());
            }
            Ok(())
        })
    }

    fn change(
        &self,
        edit: impl FnOnce(&mut Vec<(blake3::Hash, Principal)>) -> Result<(), Error>,
    ) -> Result<(), CodedError> {
        let path = self.named_path();
        let work = || {
            files::private_directory(&self.directory)?;
            let _lock = self.lock()?;
            let mut named = self.read_named(&path)?;
            edit(&mut named)?;
            named.sort_by(|left, right| left.1.cmp(&right.1));
            let line =
                |(hash, name): &(blake3::Hash, Principal)| format!("{} {}\n", name.as_str(), hash.to_hex());
            self.write(&path, &named.iter().map(line).collect::<String>())
        };
        work().map_err(|error| token_problem(&error, &path))
    }

    fn read_named(&self, path: &Path) -> Result<Vec<(blake3::Hash, Principal)>, Error> {
        let text = read_private(path)?.unwrap_or_default();
        let parse = |line: &str| {
            let (name, hash) = line.split_once(' ')?;
            Some((blake3::Hash::from_hex(hash).ok()?, Principal::parse(name).ok()?))
        };
        text.lines().map(parse).collect::<Option<Vec<_>>>().ok_or_else(|| unreadable(path))
    }

    fn write(&self, path: &Path, text: &str) -> Result<(), Error> {
        let unfinished = path.with_extension("new");
        files::remove(&unfinished);
        files::write_whole(path, &unfinished, text.as_bytes())
    }

    /// One writer at a time; waits for the other.
    fn lock(&self) -> Result<File, Error> {
        let path = self.directory.join("serve.tokens.lock");
        let file = files::private_file_kept(&path).map_err(|source| Error::file("open", &path, source))?;
        if let Err(error) = file.lock() {
            tracing::warn!(%error, "no file locks here; do not change tokens from two places at once");
        }
        Ok(file)
    }
}

/// Refuses a file that others may read: a token in it grants access to this server.
fn read_private(path: &Path) -> Result<Option<String>, Error> {
    match files::length(path) {
        None => return Ok(None),
        Some(bytes) if bytes > FILE_BYTES_MAX => return Err(unreadable(path)),
        Some(_) => {}
    }
    if let Some(mode) = files::mode_for_others(path) {
        let message = format!("`{}` is open to other users (mode {mode:o})", path.display());
        return Err(CodedError::new(Code::TokenExposed, &message).into());
    }
    let Some(bytes) = files::read(path)? else { return Ok(None) };
    String::from_utf8(bytes).map(Some).map_err(|_| unreadable(path))
}

fn unreadable(path: &Path) -> Error {
    let message = format!("`{}` is not a file of tokens; delete it, and new ones are made", path.display());
    CodedError::new(Code::Settings, &message).into()
}

fn token_problem(error: &Error, path: &Path) -> CodedError {
    error.problem(path, 0)
}

#[cfg(test)]
mod tests;
