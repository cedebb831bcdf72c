//! API keys: `prb_<id>_<secret>`. Only the hash of the secret is kept; the key is shown once, when it is made.
//!
//! Makes no randomness: it comes in as an argument.

use std::fmt;

use probity_research::{
    error::{Code, CodedError},
    principal::Principal,
    scope::KeyScopes,
    time::Moment,
};
use tokio_postgres::Row;

use super::{
    Postgres,
    tenants::{tenant_column, tenant_from_column},
};

/// Written first, so that a key is recognised where it should not be.
const PREFIX: &str = "prb_";
/// 64 random bits: never drawn twice, and no secret.
const ID_DIGITS: usize = 16;
/// 256 bits in hexadecimal.
const SECRET_DIGITS: usize = 64;
/// Keys of one tenant that are listed: people and machines, not requests.
const KEYS_MAX: i64 = 1_000;

/// Names a key in lists and in the audit log; grants nothing by itself.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct KeyId(String);

impl KeyId {
    pub fn parse(text: &str) -> Option<Self> {
        is_hex(text, ID_DIGITS).then(|| Self(text.to_owned()))
    }

    pub fn as_str(&self) -> &str {
        &self.0
    }
}

/// A key in clear. Its `Debug` hides it.
#[derive(Clone, PartialEq, Eq)]
pub struct ApiKey {
    id: KeyId,
    secret: String,
}

impl ApiKey {
    fn from_random(random: [u8; 40]) -> Self {
        let digits: String = random.iter().map(|byte| format!("{byte:02x}")).collect();
        let (id, secret) = digits.split_at_checked(ID_DIGITS).unwrap_or((&digits, ""));
        Self { id: KeyId(id.to_owned()), secret: secret.to_owned() }
    }

    /// `None` for a text that cannot be a key of ours.
    pub fn parse(text: &str) -> Option<Self> {
        let (id, secret) = text.strip_prefix(PREFIX)?.split_once('_')?;
        let id = KeyId::parse(id)?;
        is_hex(secret, SECRET_DIGITS).then(|| Self { id, secret: secret.to_owned() })
    }

    pub fn id(&self) -> &KeyId {
        &self.id
    }

    /// For the one answer that shows it, and for its owner's requests.
    pub fn reveal(&self) -> String {
        format!("{PREFIX}{}_{}", self.id.0, self.secret)
    }

    fn hash(&self) -> blake3::Hash {
        blake3::hash(self.secret.as_bytes())
    }
}

impl fmt::Debug for ApiKey {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "ApiKey({}, hidden)", self.id.0)
    }
}

/// The rights of a new key.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NewKey {
    /// None is the operator: can access every run.
    pub tenant: Option<Principal>,
    pub scopes: KeyScopes,
    /// None never expires.
    pub expires_at: Option<Moment>,
}

/// The holder of a key.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct KeyHolder {
    pub tenant: Option<Principal>,
    pub scopes: KeyScopes,
    pub key: KeyId,
    /// Of its tenant; none where nothing was set up for it.
    pub requests_per_second: Option<u32>,
}

/// A key as it is listed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct KeyRow {
    pub key: KeyId,
    pub tenant: Option<Principal>,
    pub scopes: KeyScopes,
    pub made_at: Moment,
    pub expires_at: Option<Moment>,
    pub revoked_at: Option<Moment>,
    /// The day in UTC, `YYYY-MM-DD`.
    pub last_used_on: Option<String>,
}

impl Postgres {
    /// Makes a key from `random`. This is the only time that it is shown.
    pub async fn make_key(&self, new: &NewKey, random: [u8; 40]) -> Result<ApiKey, CodedError> {
        if new.scopes.is_empty() {
            return Err(CodedError::new(Code::InvalidArguments, "a key without a scope opens nothing"));
        }
        let key = ApiKey::from_random(random);
        let expires = new.expires_at.map(|moment| moment.0 as f64 / 1000.0);
        let sql = "INSERT INTO api_key (id, tenant, scopes, hash, expires_at)
                   VALUES ($1, $2, $3, $4, to_timestamp($5))";
        let (tenant, scopes) = (tenant_column(new.tenant.as_ref()), new.scopes.to_string());
        let hash = key.hash();
        self.execute(sql, &[&key.id.0, &tenant, &scopes, &hash.as_bytes().as_slice(), &expires]).await?;
        Ok(key)
    }

    /// The holder of this key; `None` for a key that is unknown, wrong, expired, revoked, or of a suspended
    /// tenant.
    pub async fn find_key_holder(&self, presented: &str) -> Result<Option<KeyHolder>, CodedError> {
        let Some(key) = ApiKey::parse(presented) else { return Ok(None) };
        let sql = "SELECT api_key.hash, api_key.tenant, api_key.scopes,
                          api_key.last_used_on IS DISTINCT FROM current_date, tenant.requests_per_second
                   FROM api_key LEFT JOIN tenant ON tenant.name = api_key.tenant
                   WHERE id = $1 AND revoked_at IS NULL AND (expires_at IS NULL OR expires_at > now())
                     AND NOT coalesce(tenant.suspended, false)";
        let rows = self.read(sql, &[&key.id.0]).await?;
        let Some(row) = rows.first() else { return Ok(None) };
        let to_error = |error| self.problem(&error);
        let kept: &[u8] = row.try_get(0).map_err(to_error)?;
        let kept: [u8; 32] = kept.try_into().map_err(|_| self.damaged("the hash of a key"))?;
        // Compares in constant time, however much of it is right.
        if blake3::Hash::from_bytes(kept) != key.hash() {
            return Ok(None);
        }
        let is_first_today: bool = row.try_get(3).map_err(to_error)?;
        if is_first_today {
            let sql = "UPDATE api_key SET last_used_on = current_date
                       WHERE id = $1 AND last_used_on IS DISTINCT FROM current_date";
            self.execute(sql, &[&key.id.0]).await?;
        }
        let tenant = tenant_from_column(row.try_get(1).map_err(to_error)?)?;
        let scopes = KeyScopes::known_in(row.try_get(2).map_err(to_error)?);
        let requests: Option<i32> = row.try_get(4).map_err(to_error)?;
        let requests_per_second = requests.and_then(|requests| u32::try_from(requests).ok());
        Ok(Some(KeyHolder { tenant, scopes, key: key.id, requests_per_second }))
    }

    /// From now on the key is refused. `NotFound` when `tenant` has no such key.
    pub async fn revoke(&self, tenant: Option<&Principal>, key: &KeyId) -> Result<(), CodedError> {
        let sql = "UPDATE api_key SET revoked_at = coalesce(revoked_at, now()) WHERE id = $1 AND tenant = $2";
        match self.execute(sql, &[&key.0, &tenant_column(tenant)]).await? {
            0 => Err(CodedError::new(Code::NotFound, &format!("there is no key `{}`", key.0))),
            _ => Ok(()),
        }
    }

    /// The keys of a tenant, newest first.
    pub async fn keys(&self, tenant: Option<&Principal>) -> Result<Vec<KeyRow>, CodedError> {
        let sql = format!(
            "SELECT id, tenant, scopes, {}, {}, {}, last_used_on::text FROM api_key
             WHERE tenant = $1 ORDER BY made_at DESC, id LIMIT {KEYS_MAX}",
            milliseconds("made_at"),
            milliseconds("expires_at"),
            milliseconds("revoked_at")
        );
        let rows = self.read(&sql, &[&tenant_column(tenant)]).await?;
        rows.iter().map(|row| self.read_key(row)).collect()
    }

    fn read_key(&self, row: &Row) -> Result<KeyRow, CodedError> {
        let to_error = |error| self.problem(&error);
        let moment = |column: usize| {
            let milliseconds: Option<i64> = row.try_get(column).map_err(to_error)?;
            Ok::<_, CodedError>(milliseconds.map(Moment))
        };
        Ok(KeyRow {
            key: KeyId(row.try_get(0).map_err(to_error)?),
            tenant: tenant_from_column(row.try_get(1).map_err(to_error)?)?,
            scopes: KeyScopes::known_in(row.try_get(2).map_err(to_error)?),
            made_at: moment(3)?.unwrap_or_default(),
            expires_at: moment(4)?,
            revoked_at: moment(5)?,
            last_used_on: row.try_get(6).map_err(to_error)?,
        })
    }
}

/// A time of the database as we count time.
pub(super) fn milliseconds(column: &str) -> String {
    format!("(extract(epoch FROM {column}) * 1000)::bigint")
}

fn is_hex(text: &str, digits: usize) -> bool {
    let digit = |byte: u8| byte.is_ascii_digit() || (b'a'..=b'f').contains(&byte);
    text.len() == digits && text.bytes().all(digit)
}

#[cfg(test)]
mod tests {
    use super::ApiKey;

    #[test]
    fn a_key_is_read_as_it_was_shown_and_never_debugged() {
        let key = ApiKey::from_random(std::array::from_fn(|place| place as u8 * 3));
        let shown = key.reveal();
        assert_eq!(shown.len(), 4 + 16 + 1 + 64);
        assert_eq!(ApiKey::parse(&shown), Some(key.clone()));
        assert!(!format!("{key:?}").contains(&key.secret));
        for wrong in [
            "",
            "prb_",
            "prb__",
            &shown.to_uppercase(),
            &format!("{shown}0"),
            shown.trim_end_matches(['5', '7']),
        ] {
            assert_eq!(ApiKey::parse(wrong), None, "{wrong}");
        }
    }
}
