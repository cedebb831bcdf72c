//! Ed25519 over the manifest's bytes, and the keys for it. Where a private key is kept is up to the store.

use std::{fmt, str::FromStr};

use aws_lc_rs::signature::{ED25519, Ed25519KeyPair, KeyPair as _, UnparsedPublicKey};
use serde::{Deserialize, Serialize};

use crate::{
    error::BundleError,
    manifest::{decode, lines},
};

pub const SIGNATURE: &str = "signature.json";
const ALGORITHM: &str = "ed25519";
/// Its three fields take about 300 bytes.
const SIGNATURE_BYTES_MAX: usize = 4 * 1024;
/// Bytes of a public key and of a signature, as Ed25519 has them.
const KEY_BYTES: usize = 32;
const SIGNED_BYTES: usize = 64;

/// The signer. Shown and typed as 64 hexadecimal digits.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PublicKey([u8; KEY_BYTES]);

#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("a public key has 64 hexadecimal digits; `probity bundle key` prints one")]
pub struct PublicKeyError;

/// Signs bundles. Never leaves its machine, and its `Debug` shows the public half only.
pub struct SigningKey(Ed25519KeyPair);

#[derive(Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct SignatureDocument {
    algorithm: String,
    public_key: String,
    signature: String,
}

impl SigningKey {
    /// A new private key as PKCS8, for storage.
    pub fn generate() -> Result<Vec<u8>, BundleError> {
        let pair = Ed25519KeyPair::generate().map_err(|_| BundleError::Key)?;
        Ok(pair.to_pkcs8().map_err(|_| BundleError::Key)?.as_ref().to_vec())
    }

    pub fn from_pkcs8(document: &[u8]) -> Result<Self, BundleError> {
        Ed25519KeyPair::from_pkcs8(document).map(Self).map_err(|_| BundleError::Key)
    }

    pub fn public(&self) -> PublicKey {
        let mut bytes = [0; KEY_BYTES];
        bytes.iter_mut().zip(self.0.public_key().as_ref()).for_each(|(slot, byte)| *slot = *byte);
        PublicKey(bytes)
    }

    /// The content of `signature.json`.
    pub fn sign(&self, manifest: &[u8]) -> Vec<u8> {
        lines(&SignatureDocument {
            algorithm: ALGORITHM.to_owned(),
            public_key: self.public().to_string(),
            signature: hex(self.0.sign(manifest).as_ref()),
        })
    }
}

impl fmt::Debug for SigningKey {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "SigningKey({})", self.public())
    }
}

/// The key under which `manifest` is signed.
pub fn check(signature: &[u8], manifest: &[u8]) -> Result<PublicKey, BundleError> {
    let read: SignatureDocument = decode(signature, SIGNATURE, SIGNATURE_BYTES_MAX)?;
    if lines(&read) != signature {
        return Err(BundleError::NotCanonical(SIGNATURE));
    }
    let key: PublicKey = read.public_key.parse().map_err(|_| BundleError::Unreadable(SIGNATURE))?;
    let signed: [u8; SIGNED_BYTES] = unhex(&read.signature).ok_or(BundleError::Unreadable(SIGNATURE))?;
    // Digits in capitals would be a second spelling of the same signature.
    if read.algorithm != ALGORITHM || key.to_string() != read.public_key || hex(&signed) != read.signature {
        return Err(BundleError::NotCanonical(SIGNATURE));
    }
    UnparsedPublicKey::new(&ED25519, key.0).verify(manifest, &signed).map_err(|_| BundleError::Signature)?;
    Ok(key)
}

impl fmt::Display for PublicKey {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str(&hex(&self.0))
    }
}

impl FromStr for PublicKey {
    type Err = PublicKeyError;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        unhex(text.trim()).map(Self).ok_or(PublicKeyError)
    }
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

fn unhex<const N: usize>(text: &str) -> Option<[u8; N]> {
    let fits = text.len() == 2 * N && text.bytes().all(|byte| byte.is_ascii_hexdigit());
    let mut bytes = [0; N];
    for (slot, pair) in bytes.iter_mut().zip(text.as_bytes().chunks_exact(2)) {
        *slot = u8::from_str_radix(std::str::from_utf8(pair).ok()?, 16).ok()?;
    }
    fits.then_some(bytes)
}

#[cfg(test)]
mod tests {
    use super::{PublicKey, SigningKey, check};

    #[test]
    fn a_signature_holds_for_its_manifest_and_its_key_only() {
        let key = SigningKey::from_pkcs8(&SigningKey::generate().unwrap()).unwrap();
        let signed = key.sign(b"manifest");
        assert_eq!(signed, key.sign(b"manifest"), "the same bytes every time");
        assert_eq!(check(&signed, b"manifest").unwrap(), key.public());
        assert!(check(&signed, b"manifesT").is_err());
        let capitals = String::from_utf8(signed.clone()).unwrap().replace('a', "A").into_bytes();
        assert!(check(&capitals, b"manifest").is_err());
        for place in 0..signed.len() * 8 {
            let mut flipped = signed.clone();
            flipped[place / 8] ^= 1 << (place % 8);
            assert!(check(&flipped, b"manifest").is_err(), "bit {place}");
        }
    }

    #[test]
    fn a_private_key_is_kept_and_never_shown() {
        let document = SigningKey::generate().unwrap();
        let key = SigningKey::from_pkcs8(&document).unwrap();
        assert_eq!(format!("{key:?}"), format!("SigningKey({})", key.public()));
        assert_eq!(key.public().to_string().parse::<PublicKey>().unwrap(), key.public());
        assert!(SigningKey::from_pkcs8(&document[1..]).is_err());
        assert!("12".parse::<PublicKey>().is_err());
        assert!("é".repeat(32).parse::<PublicKey>().is_err());
    }
}
