//! Who may come in: a browser on this machine that brought a word which only the terminal knew.
//!
//! The word in the address works once; from then on a cookie says who it is. Cookies are not told apart by port, so a
//! page that another program serves on this machine could be sent ours: such a program runs as somebody on this
//! machine anyway, and forms need a second word that only our pages hold.

use std::sync::{Mutex, PoisonError};

use base64::{Engine as _, engine::general_purpose::URL_SAFE_NO_PAD};

/// Words given out and not yet used. Whoever opens more pages than this at once has lost the oldest.
const ENTRIES_MAX: usize = 16;
/// Longest cookie header looked at.
const COOKIE_BYTES_MAX: usize = 8 * 1024;

/// No randomness could be had from the system.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct NoRandomness;

impl std::fmt::Display for NoRandomness {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        out.write_str("the system gave no random bytes")
    }
}

impl std::error::Error for NoRandomness {}

pub struct Door {
    port: u16,
    session: String,
    form: String,
    entries: Mutex<Vec<String>>,
}

impl std::fmt::Debug for Door {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        out.debug_struct("Door").field("port", &self.port).finish_non_exhaustive()
    }
}

impl Door {
    /// `port` is the one that was bound: no other is answered for.
    pub fn new(port: u16) -> Result<Self, NoRandomness> {
        Ok(Self { port, session: word()?, form: word()?, entries: Mutex::default() })
    }

    /// A new word for `/?token=…`. It opens once.
    pub fn entry(&self) -> Result<String, NoRandomness> {
        let entry = word()?;
        let mut entries = self.entries.lock().unwrap_or_else(PoisonError::into_inner);
        if entries.len() >= ENTRIES_MAX {
            entries.remove(0);
        }
        entries.push(entry.clone());
        Ok(entry)
    }

    /// The address to open, with a new word in it.
    pub fn address(&self) -> Result<String, NoRandomness> {
        Ok(format!("http://127.0.0.1:{}/?token={}", self.port, self.entry()?))
    }

    /// Whether this word opens; it does not a second time.
    pub(crate) fn opens(&self, given: &str) -> bool {
        let mut entries = self.entries.lock().unwrap_or_else(PoisonError::into_inner);
        let before = entries.len();
        entries.retain(|entry| !same(entry, given));
        entries.len() < before
    }

    /// Only names of this machine, with our port: a foreign name that was made to point here is refused.
    pub(crate) fn is_our_host(&self, host: &str) -> bool {
        let Some((name, port)) = host.rsplit_once(':') else { return false };
        let ours = ["127.0.0.1", "[::1]", "localhost"].iter().any(|known| name.eq_ignore_ascii_case(known));
        ours && port == self.port.to_string()
    }

    pub(crate) fn is_known(&self, cookies: &str) -> bool {
        let name = self.cookie_name();
        cookies.len() <= COOKIE_BYTES_MAX
            && cookies
                .split(';')
                .filter_map(|cookie| cookie.trim().split_once('='))
                .any(|(key, value)| key == name && same(value, &self.session))
    }

    pub(crate) fn cookie(&self) -> String {
        format!("{}={}; HttpOnly; SameSite=Strict; Path=/", self.cookie_name(), self.session)
    }

    /// The word that every form of ours carries.
    pub(crate) fn form_word(&self) -> &str {
        &self.form
    }

    pub(crate) fn is_our_form(&self, given: &str) -> bool {
        same(given, &self.form)
    }

    /// Two pages of two ports do not overwrite each other.
    fn cookie_name(&self) -> String {
        format!("probity_{}", self.port)
    }
}

/// 256 random bits, as they can stand in an address.
fn word() -> Result<String, NoRandomness> {
    let mut bits = [0_u8; 32];
    getrandom::fill(&mut bits).map_err(|_| NoRandomness)?;
    Ok(URL_SAFE_NO_PAD.encode(bits))
}

/// Hashes are compared without telling by time where they differ.
fn same(left: &str, right: &str) -> bool {
    blake3::hash(left.as_bytes()) == blake3::hash(right.as_bytes())
}

#[cfg(test)]
mod tests {
    use super::Door;

    #[test]
    fn a_word_opens_once_and_only_the_newest_ones_are_kept() {
        let door = Door::new(4321).unwrap();
        let first = door.entry().unwrap();
        assert!(!door.opens("") && !door.opens("wrong"));
        assert!(door.opens(&first) && !door.opens(&first));
        let old = door.entry().unwrap();
        for _ in 0..super::ENTRIES_MAX {
            door.entry().unwrap();
        }
        assert!(!door.opens(&old));
    }

    #[test]
    fn only_names_of_this_machine_with_our_port_are_answered() {
        let door = Door::new(4321).unwrap();
        for ours in ["127.0.0.1:4321", "localhost:4321", "LocalHost:4321", "[::1]:4321"] {
            assert!(door.is_our_host(ours), "{ours}");
        }
        let foreign = [
            "",
            "127.0.0.1",
            "127.0.0.1:80",
            "evil.example:4321",
            "localhost.evil.example:4321",
            "127.0.0.1.evil.example:4321",
            "localhost:4321:4321",
            "127.0.0.1:04321",
            "0.0.0.0:4321",
            "[::]:4321",
        ];
        for foreign in foreign {
            assert!(!door.is_our_host(foreign), "{foreign}");
        }
    }

    #[test]
    fn a_cookie_is_known_by_its_whole_name_and_value() {
        let door = Door::new(4321).unwrap();
        let pair = door.cookie().split(';').next().unwrap().to_owned();
        assert!(door.is_known(&pair) && door.is_known(&format!("a=b; {pair} ; c=d")));
        assert!(!door.is_known(&format!("x{pair}")) && !door.is_known(&format!("{pair}x")));
        assert!(!door.is_known("probity_4321=") && !door.is_known(""));
        assert!(!Door::new(4321).unwrap().is_known(&pair), "another start has another word");
    }

    #[test]
    fn secrets_are_not_shown_by_debug() {
        let door = Door::new(4321).unwrap();
        assert!(!format!("{door:?}").contains(&door.session));
    }
}
