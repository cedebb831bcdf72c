//! Public keys of an issuer (RFC 7517) and the three accepted signing algorithms. Pure.
//!
//! A key itself names its signing algorithm; what a token claims can only be compared with that.

use aws_lc_rs::signature::{
    ECDSA_P256_SHA256_FIXED, ED25519, RSA_PKCS1_2048_8192_SHA256, RsaPublicKeyComponents, UnparsedPublicKey,
};
use base64::{Engine as _, engine::general_purpose::URL_SAFE_NO_PAD};
use serde::Deserialize;

/// Keys of one issuer that are kept: two or three while they rotate, more at large organizations.
const KEYS_MAX: usize = 64;
/// Bytes of one coordinate on P-256, and of an Ed25519 key.
const COORDINATE_BYTES: usize = 32;
/// An uncompressed point follows.
const UNCOMPRESSED: u8 = 4;

/// Signing algorithms. Never `none`; never a shared secret, which every reader of the public key would know.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum SigningAlgorithm {
    Rs256,
    Es256,
    Ed25519,
}

impl SigningAlgorithm {
    pub(super) fn parse(text: &str) -> Option<Self> {
        match text {
            "RS256" => Some(Self::Rs256),
            "ES256" => Some(Self::Es256),
            // The second is the name of RFC 9864.
            "EdDSA" | "Ed25519" => Some(Self::Ed25519),
            _ => None,
        }
    }
}

/// One key that may sign tokens.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct IssuerKey {
    id: Option<String>,
    material: KeyMaterial,
}

#[derive(Debug, Clone, PartialEq, Eq)]
enum KeyMaterial {
    Rsa { modulus: Vec<u8>, exponent: Vec<u8> },
    P256(Vec<u8>),
    Ed25519(Vec<u8>),
}

/// As an issuer writes it. Keys of other kinds are ignored silently: issuers list other keys too.
#[derive(Deserialize)]
struct JsonWebKeyDocument {
    kty: String,
    #[serde(default)]
    kid: Option<String>,
    #[serde(default, rename = "use")]
    used_for: Option<String>,
    #[serde(default)]
    key_ops: Option<Vec<String>>,
    #[serde(default)]
    alg: Option<String>,
    #[serde(default)]
    crv: Option<String>,
    #[serde(default)]
    n: Option<String>,
    #[serde(default)]
    e: Option<String>,
    #[serde(default)]
    x: Option<String>,
    #[serde(default)]
    y: Option<String>,
}

#[derive(Deserialize)]
struct JsonWebKeySetDocument {
    keys: Vec<serde_json::Value>,
}

/// The usable keys of a set, or `None` if it is not one.
pub(super) fn parse_set(bytes: &[u8]) -> Option<Vec<IssuerKey>> {
    let set: JsonWebKeySetDocument = serde_json::from_slice(bytes).ok()?;
    let written = set.keys.into_iter().filter_map(|key| serde_json::from_value(key).ok());
    Some(written.filter_map(IssuerKey::of).take(KEYS_MAX).collect())
}

/// The key that a token names; without a name the only one of its kind.
pub(super) fn select_key<'keys>(
    keys: &'keys [IssuerKey],
    id: Option<&str>,
    algorithm: SigningAlgorithm,
) -> Option<&'keys IssuerKey> {
    let mut fitting = keys.iter().filter(|key| key.algorithm() == algorithm);
    match id {
        Some(id) => fitting.find(|key| key.id.as_deref() == Some(id)),
        None => fitting.next().filter(|_| fitting.next().is_none()),
    }
}

impl IssuerKey {
    fn of(written: JsonWebKeyDocument) -> Option<Self> {
        let is_for_signatures = written.used_for.is_none_or(|used| used == "sig");
        let may_verify = written.key_ops.is_none_or(|allowed| allowed.iter().any(|one| one == "verify"));
        if !is_for_signatures || !may_verify {
            return None;
        }
        let material = match (written.kty.as_str(), written.crv.as_deref()) {
            ("RSA", _) => KeyMaterial::Rsa {
                modulus: decode_base64(&written.n?)?,
                exponent: decode_base64(&written.e?)?,
            },
            ("EC", Some("P-256")) => KeyMaterial::P256(point(&written.x?, &written.y?)?),
            ("OKP", Some("Ed25519")) => {
                let key = decode_base64(&written.x?)?;
                (key.len() == COORDINATE_BYTES).then_some(KeyMaterial::Ed25519(key))?
            }
            _ => return None,
        };
        let key = Self { id: written.kid, material };
        let said = written.alg.as_deref();
        said.is_none_or(|said| SigningAlgorithm::parse(said) == Some(key.algorithm())).then_some(key)
    }

    fn algorithm(&self) -> SigningAlgorithm {
        match self.material {
            KeyMaterial::Rsa { .. } => SigningAlgorithm::Rs256,
            KeyMaterial::P256(_) => SigningAlgorithm::Es256,
            KeyMaterial::Ed25519(_) => SigningAlgorithm::Ed25519,
        }
    }

    /// Whether `signature` is this key's, over exactly these bytes.
    pub(super) fn verifies_signature(&self, message: &[u8], signature: &[u8]) -> bool {
        let checked = match &self.material {
            KeyMaterial::Rsa { modulus, exponent } => RsaPublicKeyComponents { n: modulus, e: exponent }
                .verify(&RSA_PKCS1_2048_8192_SHA256, message, signature),
            KeyMaterial::P256(point) => {
                UnparsedPublicKey::new(&ECDSA_P256_SHA256_FIXED, point).verify(message, signature)
            }
            KeyMaterial::Ed25519(key) => UnparsedPublicKey::new(&ED25519, key).verify(message, signature),
        };
        checked.is_ok()
    }
}

fn point(x: &str, y: &str) -> Option<Vec<u8>> {
    let (x, y) = (decode_base64(x)?, decode_base64(y)?);
    let fits = x.len() == COORDINATE_BYTES && y.len() == COORDINATE_BYTES;
    fits.then(|| [&[UNCOMPRESSED][..], &x, &y].concat())
}

pub(super) fn decode_base64(text: &str) -> Option<Vec<u8>> {
    URL_SAFE_NO_PAD.decode(text).ok()
}

#[cfg(test)]
mod tests;
