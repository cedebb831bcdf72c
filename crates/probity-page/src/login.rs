//! Authenticates browsers: one on this machine that has a one-time token which only the terminal showed.
//!
//! The token in the address works once; from then on a cookie authenticates. Cookies are separated by host
//! name and not by port: under 127.0.0.1 every other program on this machine that the browser opens would be
//! sent ours. So the page has a name of its own, `RANDOM.localhost`, which browsers resolve to this machine
//! without asking anybody and which nobody else knows.

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

/// The name under which a browser reaches the page.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PageName {
    /// A random name under `.localhost`: the cookie goes to this page alone.
    Own,
    /// `127.0.0.1`, for browsers that do not resolve such names: the cookie goes to every port of it.
    Loopback,
}

pub struct PageLogin {
    name: PageName,
    /// With the port, as a browser sends it.
    host: String,
    session: String,
    form_token: String,
    login_tokens: Mutex<Vec<String>>,
}

impl std::fmt::Debug for PageLogin {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        out.debug_struct("PageLogin").field("name", &self.name).finish_non_exhaustive()
    }
}

impl PageLogin {
    /// `port` is the one that was bound: requests for any other are refused.
    pub fn new(port: u16, name: PageName) -> Result<Self, RandomnessError> {
        let host = match name {
            PageName::Own => format!("{}.localhost:{port}", random_label()?),
            PageName::Loopback => format!("127.0.0.1:{port}"),
        };
        Ok(Self {
            name,
            host,
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
        Ok(format!("http://{}/?token={}", self.host, self.issue_token()?))
    }

    /// Name and port, as a browser sends them.
    pub fn host(&self) -> &str {
        &self.host
    }

    /// Whether this token is valid; it is not a second time.
    pub(crate) fn redeem_token(&self, given: &str) -> bool {
        let mut entries = self.login_tokens.lock().unwrap_or_else(PoisonError::into_inner);
        let before = entries.len();
        entries.retain(|entry| !same_secret(entry, given));
        entries.len() < before
    }

    /// Only our own name: another one that resolves here (DNS rebinding, `localhost`) is refused.
    pub(crate) fn is_our_host(&self, host: &str) -> bool {
        same_secret(&host.to_ascii_lowercase(), &self.host)
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
        // Browsers hold `__Host-` cookies to what is promised here: this host alone, the whole of it. That
        // needs `Secure`, which they take from names under `.localhost` without TLS.
        let secure = match self.name {
            PageName::Own => "; Secure",
            PageName::Loopback => "",
        };
        format!("{}={}; HttpOnly; SameSite=Strict; Path=/{secure}", self.cookie_name(), self.session)
    }

    /// The token that every form of ours contains.
    pub(crate) fn form_token(&self) -> &str {
        &self.form_token
    }

    pub(crate) fn is_form_token(&self, given: &str) -> bool {
        same_secret(given, &self.form_token)
    }

    fn cookie_name(&self) -> String {
        match self.name {
            PageName::Own => "__Host-probity".to_owned(),
            // With the port: two pages of two ports do not overwrite each other's.
            PageName::Loopback => format!("probity_{}", self.host.rsplit(':').next().unwrap_or_default()),
        }
    }
}

/// 128 random bits as a label of a host name.
fn random_label() -> Result<String, RandomnessError> {
    let mut bits = [0_u8; 16];
    getrandom::fill(&mut bits).map_err(|_| RandomnessError)?;
    Ok(format!("{:032x}", u128::from_le_bytes(bits)))
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
    use super::{PageLogin, PageName};

    #[test]
    fn a_word_opens_once_and_only_the_newest_ones_are_kept() {
        let login = new_login();
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
    fn only_the_pages_own_name_is_answered() {
        let (login, other) = (new_login(), new_login());
        let own = login.host().to_owned();
        assert!(login.is_our_host(&own) && login.is_our_host(&own.to_uppercase()));
        let foreign = [
            "",
            "127.0.0.1:4321",
            "localhost:4321",
            "[::1]:4321",
            own.trim_end_matches(":4321"),
            &own.replace("4321", "80"),
            &own.replace("4321", "04321"),
            &format!("x{own}"),
            &format!("x.{own}"),
            &own.replace(".localhost", ""),
            &own.replace(":4321", ".evil.example:4321"),
            other.host(),
        ];
        for foreign in foreign {
            assert!(!login.is_our_host(foreign), "{foreign}");
        }
        let plain = PageLogin::new(4321, PageName::Loopback).unwrap();
        assert!(plain.is_our_host("127.0.0.1:4321"));
        assert!(!plain.is_our_host("localhost:4321") && !plain.is_our_host(&own));
    }

    fn new_login() -> PageLogin {
        PageLogin::new(4321, PageName::Own).unwrap()
    }

    #[test]
    fn a_cookie_is_known_by_its_whole_name_and_value() {
        let login = new_login();
        let pair = login.session_cookie().split(';').next().unwrap().to_owned();
        assert!(login.has_session(&pair) && login.has_session(&format!("a=b; {pair} ; c=d")));
        assert!(!login.has_session(&format!("x{pair}")) && !login.has_session(&format!("{pair}x")));
        assert!(!login.has_session("__Host-probity=") && !login.has_session(""));
        assert!(!new_login().has_session(&pair), "another start has another word");
    }

    #[test]
    fn secrets_are_not_shown_by_debug() {
        let login = new_login();
        assert!(!format!("{login:?}").contains(&login.session));
    }
}
