//! A key that stands nowhere else, and the clothes it might wear.

use anyhow::anyhow;

/// What is looked for.
pub struct CanaryKey {
    key: String,
    /// Stands in variables of the server that no child may have.
    other: String,
    forms: Vec<Vec<u8>>,
}

impl CanaryKey {
    /// A new one for each run, so that nothing on this machine holds it by chance.
    pub fn new() -> anyhow::Result<Self> {
        let random = || getrandom::u64().map_err(|error| anyhow!("no randomness: {error}"));
        let key = format!("AIzaSyCANARY{:016x}{:07x}", random()?, random()? & 0xfff_ffff);
        let other = format!("OTHERSECRET{:016x}", random()?);
        let forms = [&key, &other].into_iter().flat_map(|secret| forms(secret)).collect();
        Ok(Self { key, other, forms })
    }

    pub fn key(&self) -> &str {
        &self.key
    }

    pub fn other(&self) -> &str {
        &self.other
    }

    pub fn is_in(&self, bytes: &[u8]) -> bool {
        self.forms.iter().any(|form| bytes.windows(form.len()).any(|part| part == form.as_slice()))
    }

    /// Texts in which it must be found.
    pub fn planted(&self) -> Vec<String> {
        let key = &self.key;
        let hex: String = key.bytes().map(|byte| format!("{byte:02x}")).collect();
        vec![
            format!("?key={key}&x=1"),
            format!("{{\"error\":\"API key {key} not valid\"}}"),
            format!("Basic {}", base64(format!("user:{key}").as_bytes())),
            hex,
            key.chars().rev().collect(),
        ]
    }
}

/// As it is, backwards, in hexadecimal, and in base64 at each of the three places it can begin.
fn forms(secret: &str) -> Vec<Vec<u8>> {
    let hex: String = secret.bytes().map(|byte| format!("{byte:02x}")).collect();
    let mut forms = vec![secret.to_owned(), secret.chars().rev().collect(), hex.to_uppercase(), hex];
    for before in 0..3 {
        let padded: Vec<u8> = std::iter::repeat_n(b'x', before).chain(secret.bytes()).collect();
        let encoded = base64(&padded);
        // The first and the last letters also depend on what stands beside it.
        let inner: String = encoded.chars().skip(4).take(encoded.len().saturating_sub(12)).collect();
        forms.push(inner);
    }
    forms.into_iter().map(String::into_bytes).collect()
}

fn base64(bytes: &[u8]) -> String {
    const LETTERS: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let mut out = String::new();
    for group in bytes.chunks(3) {
        let byte = |at: usize| u32::from(group.get(at).copied().unwrap_or(0));
        let bits = (byte(0) << 16) | (byte(1) << 8) | byte(2);
        for place in 0..4 {
            let letter = LETTERS.get((bits >> (18 - 6 * place)) as usize & 63).copied().unwrap_or(b'A');
            out.push(if place <= group.len() { char::from(letter) } else { '=' });
        }
    }
    out
}
