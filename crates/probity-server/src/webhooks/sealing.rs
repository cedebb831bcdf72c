//! Secrets of webhooks as a database keeps them: sealed with a key that is not in it (AES-256-GCM).
//!
//! Two keys are valid while one replaces the other: the first seals, both open. What was kept before there was a key is
//! still read, and told apart, so that it can be sealed.

use std::fmt;

use aws_lc_rs::aead::{AES_256_GCM, Aad, LessSafeKey, NONCE_LEN, Nonce, UnboundKey};
use probity_research::error::{Code, CodedError};

use super::secret::{BASE64, WebhookSecret};
use base64::Engine as _;

/// The newest and the one that it replaces.
const KEYS_MAX: usize = 2;
const KEY_BYTES: usize = 32;
/// Enough to tell two keys apart; says nothing of the key.
const ID_BYTES: usize = 8;
/// The first byte of what is sealed. A readable secret begins with a letter.
const SEALED: u8 = 1;

/// The keys of a fleet. Neither `Debug` nor any error shows them.
pub struct SealingKeys {
    keys: Vec<([u8; ID_BYTES], LessSafeKey)>,
}

/// What a stored secret turned out to be.
pub struct OpenedSecret {
    pub secret: WebhookSecret,
    /// Sealed with the first key: nothing is to be done.
    pub is_current: bool,
}

impl SealingKeys {
    /// One or two keys of 32 bytes in base64, the newest first, with a space between them.
    pub fn parse(text: &str) -> Result<Self, CodedError> {
        let refused = |why: &str| {
            let message = format!("the key that seals secrets is not usable: {why}");
            CodedError::new(Code::Settings, &message)
        };
        let mut keys = Vec::new();
        for word in text.split_ascii_whitespace() {
            let bytes = BASE64.decode(word).map_err(|_| refused("it is not base64"))?;
            if bytes.len() != KEY_BYTES {
                return Err(refused("it has not 32 bytes; make one with `openssl rand -base64 32`"));
            }
            let key = UnboundKey::new(&AES_256_GCM, &bytes).map_err(|_| refused("it is no key"))?;
            let digest = blake3::derive_key("probity id of a sealing key", &bytes);
            let mut id = [0; ID_BYTES];
            id.copy_from_slice(digest.first_chunk::<ID_BYTES>().unwrap_or(&[0; ID_BYTES]));
            keys.push((id, LessSafeKey::new(key)));
        }
        match keys.len() {
            1..=KEYS_MAX => Ok(Self { keys }),
            0 => Err(refused("it is empty")),
            _ => Err(refused("there are more than two")),
        }
    }

    /// `place` is what the secret belongs to: sealed for one address, it opens at no other.
    pub fn seal(&self, secret: &WebhookSecret, place: &str) -> Result<Vec<u8>, CodedError> {
        let failed = || CodedError::new(Code::StoreFailed, "the secret could not be sealed");
        let (id, key) = self.keys.first().ok_or_else(failed)?;
        let mut nonce = [0; NONCE_LEN];
        getrandom::fill(&mut nonce).map_err(|_| failed())?;
        let mut bytes = secret.expose().as_bytes().to_vec();
        key.seal_in_place_append_tag(Nonce::assume_unique_for_key(nonce), Aad::from(place), &mut bytes)
            .map_err(|_| failed())?;
        Ok([&[SEALED], id.as_slice(), &nonce, &bytes].concat())
    }
}

/// The secret that was stored for this place; a readable one of earlier times too. Without keys, a sealed one stays closed.
pub fn open_secret(
    keys: Option<&SealingKeys>,
    stored: &[u8],
    place: &str,
) -> Result<OpenedSecret, CodedError> {
    let closed =
        |why: &str| CodedError::new(Code::Settings, &format!("the webhook's secret stays closed: {why}"));
    let Some(sealed) = stored.strip_prefix(&[SEALED]) else {
        let text = std::str::from_utf8(stored).map_err(|_| closed("it is damaged"))?;
        return Ok(OpenedSecret { secret: WebhookSecret::parse(text)?, is_current: false });
    };
    let keys = keys.ok_or_else(|| closed("this process has no key that opens secrets"))?;
    let (id, rest) = sealed.split_first_chunk::<ID_BYTES>().ok_or_else(|| closed("it is damaged"))?;
    let (nonce, rest) = rest.split_first_chunk::<NONCE_LEN>().ok_or_else(|| closed("it is damaged"))?;
    let at = keys.keys.iter().position(|(known, _)| known == id);
    let (at, (_, key)) = at
        .and_then(|at| Some((at, keys.keys.get(at)?)))
        .ok_or_else(|| closed("it was sealed with another key than those that are named"))?;
    let mut bytes = rest.to_vec();
    let text = key
        .open_in_place(Nonce::assume_unique_for_key(*nonce), Aad::from(place), &mut bytes)
        .map_err(|_| closed("it was changed, or belongs to another address"))?;
    let text = std::str::from_utf8(text).map_err(|_| closed("it is damaged"))?;
    Ok(OpenedSecret { secret: WebhookSecret::parse(text)?, is_current: at == 0 })
}

impl fmt::Debug for SealingKeys {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str("SealingKeys(hidden)")
    }
}

#[cfg(test)]
mod tests {
    use super::{OpenedSecret, SealingKeys, open_secret};
    use crate::webhooks::WebhookSecret;

    const OLD: &str = "AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8=";
    const NEW: &str = "HxwdGhscGRgXFhUUExIREA8ODQwLCgkIBwYFBAMCAQA=";
    const PLACE: &str = "https://receiver.example/hook";

    fn keys(text: &str) -> SealingKeys {
        SealingKeys::parse(text).unwrap()
    }

    fn refused(opened: Result<OpenedSecret, probity_research::CodedError>) -> String {
        opened.err().unwrap().message
    }

    #[test]
    fn a_sealed_secret_shows_nothing_and_opens_with_its_key_alone() {
        let secret = WebhookSecret::make().unwrap();
        let sealed = keys(OLD).seal(&secret, PLACE).unwrap();
        assert!(!String::from_utf8_lossy(&sealed).contains("whsec"));
        let opened = open_secret(Some(&keys(OLD)), &sealed, PLACE).unwrap();
        assert!(opened.is_current && opened.secret.expose() == secret.expose());
        assert!(refused(open_secret(None, &sealed, PLACE)).contains("no key"));
        assert!(refused(open_secret(Some(&keys(NEW)), &sealed, PLACE)).contains("another key"));
        assert!(
            refused(open_secret(Some(&keys(OLD)), &sealed, "https://other.example"))
                .contains("another address")
        );
        let mut changed = sealed.clone();
        *changed.last_mut().unwrap() ^= 1;
        assert!(open_secret(Some(&keys(OLD)), &changed, PLACE).is_err());
        for length in 0..sealed.len() {
            assert!(open_secret(Some(&keys(OLD)), &sealed[..length], PLACE).is_err(), "{length}");
        }
    }

    #[test]
    fn a_key_is_replaced_while_both_are_named() {
        let secret = WebhookSecret::make().unwrap();
        let both = keys(&format!("{NEW} {OLD}"));
        let old = keys(OLD).seal(&secret, PLACE).unwrap();
        let opened = open_secret(Some(&both), &old, PLACE).unwrap();
        assert!(!opened.is_current && opened.secret.expose() == secret.expose());
        let new = both.seal(&opened.secret, PLACE).unwrap();
        assert!(open_secret(Some(&keys(NEW)), &new, PLACE).unwrap().is_current);
        let readable = open_secret(Some(&both), secret.expose().as_bytes(), PLACE).unwrap();
        assert!(!readable.is_current && readable.secret.expose() == secret.expose());
    }

    #[test]
    fn what_is_no_key_is_refused_without_being_shown() {
        for wrong in ["", "canary!", "Y2FuYXJ5", &format!("{NEW} {OLD} {NEW}")] {
            let problem = SealingKeys::parse(wrong).err().unwrap();
            assert!(
                !problem.message.contains("canary") && !problem.message.contains("Y2FuYXJ5"),
                "{problem:?}"
            );
        }
        assert!(!format!("{:?}", keys(OLD)).contains(OLD));
    }
}
