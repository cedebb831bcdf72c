//! The list of a release's files with their sums, and the signature that makes it worth reading. Pure.

use std::collections::BTreeMap;

use minisign_verify::{PublicKey, Signature};
use semver::Version;
use sha2::{Digest as _, Sha256};

/// How the trusted comment of a release's signature begins; its version stands behind it.
const TRUSTED_WORD: &str = "probity";

/// Why a release is not installed.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ReleaseError {
    #[error("the key is not a minisign public key")]
    KeyUnreadable,
    #[error("the signature of SHA256SUMS is not readable")]
    SignatureUnreadable,
    #[error("SHA256SUMS was not signed with the key of this program, or was changed after that")]
    NotSigned,
    #[error("the signature names no version of Probity")]
    NoVersion,
    #[error("SHA256SUMS has a line that is no sum: line {0}")]
    LineUnreadable(usize),
    #[error("the release {offered} is older than {installed}, which is installed")]
    Older { offered: Version, installed: Version },
    #[error("the release there is {offered}, not {wanted}")]
    AnotherVersion { offered: Version, wanted: Version },
    #[error("the release has no file {0}")]
    NoFile(String),
    #[error("{name} is not the file that was released: its SHA-256 is {found} instead of {wanted}")]
    AnotherFile { name: String, found: String, wanted: String },
}

/// A list of sums whose signature was verified.
#[derive(Debug, PartialEq, Eq)]
pub struct SignedRelease {
    pub version: Version,
    sums: BTreeMap<String, String>,
}

/// What is to be done about an offered release.
#[derive(Debug, PartialEq, Eq)]
pub enum ReleaseChoice {
    /// It is the one that is installed.
    Installed,
    Install,
}

/// A key as one line of base64, or as the file that minisign writes.
fn public_key(text: &str) -> Result<PublicKey, ReleaseError> {
    let text = text.trim();
    let key = if text.contains('\n') { PublicKey::decode(text) } else { PublicKey::from_base64(text) };
    key.map_err(|_| ReleaseError::KeyUnreadable)
}

impl SignedRelease {
    /// Reads nothing of `sums` before its signature holds.
    pub fn verified(key: &str, sums: &[u8], signature: &str) -> Result<Self, ReleaseError> {
        let key = public_key(key)?;
        let signature = Signature::decode(signature).map_err(|_| ReleaseError::SignatureUnreadable)?;
        key.verify(sums, &signature, false).map_err(|_| ReleaseError::NotSigned)?;
        let mut words = signature.trusted_comment().split_whitespace();
        let version = match (words.next(), words.next()) {
            (Some(TRUSTED_WORD), Some(version)) => Version::parse(version).ok(),
            _ => None,
        };
        let version = version.ok_or(ReleaseError::NoVersion)?;
        let text = std::str::from_utf8(sums).map_err(|_| ReleaseError::LineUnreadable(1))?;
        let read = |(at, line): (usize, &str)| {
            let (sum, name) = line.split_once("  ").ok_or(ReleaseError::LineUnreadable(at + 1))?;
            let is_sum = sum.len() == 64 && sum.bytes().all(|byte| byte.is_ascii_hexdigit());
            is_sum
                .then(|| (name.to_owned(), sum.to_ascii_lowercase()))
                .ok_or(ReleaseError::LineUnreadable(at + 1))
        };
        let sums = text.lines().enumerate().map(read).collect::<Result<_, _>>()?;
        Ok(Self { version, sums })
    }

    /// An older release is installed only by its name: whoever serves files could offer one with a known hole.
    pub fn choice(
        &self,
        installed: &Version,
        wanted: Option<&Version>,
    ) -> Result<ReleaseChoice, ReleaseError> {
        let offered = self.version.clone();
        if let Some(wanted) = wanted.filter(|wanted| **wanted != offered) {
            return Err(ReleaseError::AnotherVersion { offered, wanted: wanted.clone() });
        }
        if offered == *installed {
            return Ok(ReleaseChoice::Installed);
        }
        if offered < *installed && wanted.is_none() {
            return Err(ReleaseError::Older { offered, installed: installed.clone() });
        }
        Ok(ReleaseChoice::Install)
    }

    /// Whether these bytes are the released file of that name.
    pub fn check(&self, name: &str, bytes: &[u8]) -> Result<(), ReleaseError> {
        let wanted = self.sums.get(name).ok_or_else(|| ReleaseError::NoFile(name.to_owned()))?;
        let found: String = Sha256::digest(bytes).iter().map(|byte| format!("{byte:02x}")).collect();
        if found == *wanted {
            return Ok(());
        }
        Err(ReleaseError::AnotherFile { name: name.to_owned(), found, wanted: wanted.clone() })
    }
}

#[cfg(test)]
mod tests;
