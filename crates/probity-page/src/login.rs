//! Authenticates browsers: one on this machine that has a one-time token which only the terminal showed.
//!
//! The token in the address works once; from then on a cookie authenticates. Cookies are not separated by
//! port, so a page that another program serves on this machine could be sent ours: such a program runs as a
//! user of this machine anyway, and forms need a second token that only our pages contain.

use std::sync::{Mutex, PoisonError};

use base64::{Engine as _, engine::general_purpose::URL_SAFE_NO_PAD};

/// Tokens issued and not yet used. Beyond this many the oldest is dropped.
const TOKENS_MAX: usize = 16;
/// Longest cookie header parsed.
const COOKIE_BYTES_MAX: usize = 8 * 1024;

/// The system gave no random bytes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct RandomnessError;

impl std::fmt::Display for RandomnessError {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        out.write_str("the system gave no random bytes")
    }
}

impl std::error::Error for RandomnessError {}

pub struct PageLogin {
    port: u16,
    session: String,
    form_token: String,
    login_tokens: Mutex<Vec<String>>,
}

impl std::fmt::Debug for PageLogin {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        out.debug_struct("PageLogin").field("port", &self.port).finish_non_exhaustive()
    }
}

impl PageLogin {
    /// `port` is the one that was bound: requests for any other are refused.
    pub fn new(port: u16) -> Result<Self, RandomnessError> {
        Ok(Self {
            port,
            session: random_token()?,
            form_token: random_token()?,
            login_tokens: Mutex::default(),
        })
    }

    /// A new token for `/?token=…`. It works once.
    pub fn issue_token(&self) -> Result<String, RandomnessError> {
        let entry = random_token()?;
        let mut entries = self.login_tokens.lock().unwrap_or_else(PoisonError::into_inner);
        if entries.len() >= TOKENS_MAX {
            entries.remove(0);
        }
        entries.push(entry.clone());
        Ok(entry)
    }

    /// The address to open, with a new token in it.
    pub fn login_url(&self) -> Result<String, RandomnessError> {
        Ok(format!("http://127.0.0.1:{}/?token={}", self.port, self.issue_token()?))
    }

    /// Whether this token is valid; it is not a second time.
    pub(crate) fn redeem_token(&self, given: &str) -> bool {
        let mut entries = self.login_tokens.lock().unwrap_or_else(PoisonError::into_inner);
        let before = entries.len();
        entries.retain(|entry| !same_secret(entry, given));
        entries.len() < before
    }

    /// Only names of this machine, with our port: a foreign name that resolves here (DNS rebinding) is
    /// refused.
    pub(crate) fn is_our_host(&self, host: &str) -> bool {
        let Some((name, port)) = host.rsplit_once(':') else { return false };
        let ours = ["127.0.0.1", "[::1]", "localhost"].iter().any(|known| name.eq_ignore_ascii_case(known));
        ours && port == self.port.to_string()
    }

    pub(crate) fn has_session(&self, cookies: &str) -> bool {
        let name = self.cookie_name();
        cookies.len() <= COOKIE_BYTES_MAX
            && cookies
                .split(';')
                .filter_map(|cookie| cookie.trim().split_once('='))
                .any(|(key, value)| key == name && same_secret(value, &self.session))
    }

    pub(crate) fn session_cookie(&self) -> String {
        format!("{}={}; HttpOnly; SameSite=Strict; Path=/", self.cookie_name(), self.session)
    }

    /// The token that every form of ours contains.
    pub(crate) fn form_token(&self) -> &str {
        &self.form_token
    }

    pub(crate) fn is_form_token(&self, given: &str) -> bool {
        same_secret(given, &self.form_token)
    }

    /// The cookie's name has the port: two pages of two ports do not overwrite each other's.
    fn cookie_name(&self) -> String {
        format!("probity_{}", self.port)
    }
}

/// 256 random bits, in characters that are safe in an address.
fn random_token() -> Result<String, RandomnessError> {
    let mut bits = [0_u8; 32];
    getrandom::fill(&mut bits).map_err(|_| RandomnessError)?;
    Ok(URL_SAFE_NO_PAD.encode(bits))
}

/// Hashes are compared in constant time.
fn same_secret(left: &str, right: &str) -> bool {
    blake3::hash(left.as_bytes()) == blake3::hash(right.as_bytes())
}

#[cfg(test)]
mod tests {
    use super::PageLogin;

    #[test]
    fn a_word_opens_once_and_only_the_newest_ones_are_kept() {
        let login = PageLogin::new(4321).unwrap();
        let first = login.issue_token().unwrap();
        assert!(!login.redeem_token("") && !login.redeem_token("wrong"));
        assert!(login.redeem_token(&first) && !login.redeem_token(&first));
        let old = login.issue_token().unwrap();
        for _ in 0..super::TOKENS_MAX {
            login.issue_token().unwrap();
        }
        assert!(!login.redeem_token(&old));
    }

    #[test]
    fn only_names_of_this_machine_with_our_port_are_answered() {
        let login = PageLogin::new(4321).unwrap();
        for ours in ["127.0.0.1:4321", "localhost:4321", "LocalHost:4321", "[::1]:4321"] {
            assert!(login.is_our_host(ours), "{ours}");
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
            assert!(!login.is_our_host(foreign), "{foreign}");
        }
    }

    #[test]
    fn a_cookie_is_known_by_its_whole_name_and_value() {
        let login = PageLogin::new(4321).unwrap();
        let pair = login.session_cookie().split(';').next().unwrap().to_owned();
        assert!(login.has_session(&pair) && login.has_session(&format!("a=b; {pair} ; c=d")));
        assert!(!login.has_session(&format!("x{pair}")) && !login.has_session(&format!("{pair}x")));
        assert!(!login.has_session("probity_4321=") && !login.has_session(""));
        assert!(!PageLogin::new(4321).unwrap().has_session(&pair), "another start has another word");
    }

    #[test]
    fn secrets_are_not_shown_by_debug() {
        let login = PageLogin::new(4321).unwrap();
        assert!(!format!("{login:?}").contains(&login.session));
    }
}
