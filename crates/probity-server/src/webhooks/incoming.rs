//! Webhooks of a provider about an interaction of ours: that a poll is worth it now. Never a result.
//!
//! Accepted are webhooks that were set up at the provider with a shared secret. Those that a single request
//! asked for are signed otherwise, with claims that are not documented, and are refused like any unsigned
//! message.

use probity_research::time::Moment;
use serde::Deserialize;

use super::{
    secret::WebhookSecret,
    signature::{SignatureError, SignatureHeaders, verify},
};

/// A thin message has some hundred bytes.
pub const BODY_BYTES_MAX: usize = 64 * 1024;
/// As long as the ids of interactions may be.
const REMOTE_ID_BYTES_MAX: usize = 512;

/// A verified message.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ProviderNotice {
    pub kind: ProviderNoticeKind,
    /// The provider's id of the interaction.
    pub remote_id: String,
}

/// What happened there. It only says that a poll is worth it: the result is fetched.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ProviderNoticeKind {
    Completed,
    Failed,
    RequiresAction,
}

/// The outcome of a message.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ReceiveOutcome {
    /// Wake the run that waits for it.
    Wake(ProviderNotice),
    /// Correctly signed and about something else, such as a ping: accept and do nothing.
    Other,
}

#[derive(Deserialize)]
struct ProviderNoticeBody {
    #[serde(rename = "type")]
    kind: String,
    #[serde(default)]
    data: Option<ProviderNoticeData>,
}

#[derive(Deserialize)]
struct ProviderNoticeData {
    #[serde(default)]
    id: Option<String>,
}

/// Verifies first, reads after.
pub fn receive(
    secrets: &[WebhookSecret],
    headers: &SignatureHeaders,
    body: &[u8],
    now: Moment,
) -> Result<ReceiveOutcome, SignatureError> {
    if body.len() > BODY_BYTES_MAX {
        return Err(SignatureError::Unsigned);
    }
    verify(secrets, headers, body, now)?;
    Ok(read(body).map_or(ReceiveOutcome::Other, ReceiveOutcome::Wake))
}

fn read(body: &[u8]) -> Option<ProviderNotice> {
    let wire: ProviderNoticeBody = serde_json::from_slice(body).ok()?;
    let kind = match wire.kind.as_str() {
        "interaction.completed" => ProviderNoticeKind::Completed,
        "interaction.failed" => ProviderNoticeKind::Failed,
        "interaction.requires_action" => ProviderNoticeKind::RequiresAction,
        _ => return None,
    };
    let remote_id = wire.data?.id?;
    let fits = !remote_id.is_empty() && remote_id.len() <= REMOTE_ID_BYTES_MAX;
    (fits && remote_id.bytes().all(|byte| byte.is_ascii_graphic()))
        .then_some(ProviderNotice { kind, remote_id })
}

#[cfg(test)]
mod tests {
    use probity_research::time::Moment;

    use super::{BODY_BYTES_MAX, ProviderNotice, ProviderNoticeKind, ReceiveOutcome, receive};
    use crate::webhooks::{SignatureError, WebhookSecret, sign};

    const NOW: Moment = Moment(1_790_000_000_000);

    #[track_caller]
    fn check(body: &str, expected: ReceiveOutcome) {
        let secret = WebhookSecret::make().unwrap();
        let headers = sign(std::slice::from_ref(&secret), "evt_1", NOW, body.as_bytes());
        assert_eq!(receive(&[secret], &headers, body.as_bytes(), NOW), Ok(expected), "{body}");
    }

    fn wake(kind: ProviderNoticeKind) -> ReceiveOutcome {
        ReceiveOutcome::Wake(ProviderNotice { kind, remote_id: "v1_abc".to_owned() })
    }

    #[test]
    fn what_is_about_an_interaction_wakes_its_research() {
        check(
            r#"{"type":"interaction.completed","version":"v1","data":{"id":"v1_abc"}}"#,
            wake(ProviderNoticeKind::Completed),
        );
        check(
            r#"{"type":"interaction.failed","data":{"id":"v1_abc","more":1}}"#,
            wake(ProviderNoticeKind::Failed),
        );
        check(
            r#"{"type":"interaction.requires_action","data":{"id":"v1_abc"}}"#,
            wake(ProviderNoticeKind::RequiresAction),
        );
    }

    #[test]
    fn everything_else_that_is_signed_changes_nothing() {
        for body in [
            r#"{"type":"webhook.ping"}"#,
            r#"{"type":"batch.succeeded","data":{"id":"v1_abc"}}"#,
            r#"{"type":"interaction.completed"}"#,
            r#"{"type":"interaction.completed","data":{"id":""}}"#,
            r#"{"type":"interaction.completed","data":{"id":"a b"}}"#,
            r#"{"type":"interaction.completed","data":{"id":7}}"#,
            "[]",
            "not json",
            "",
        ] {
            check(body, ReceiveOutcome::Other);
        }
    }

    #[test]
    fn what_is_not_signed_is_not_read() {
        let (secret, stranger) = (WebhookSecret::make().unwrap(), WebhookSecret::make().unwrap());
        let body = br#"{"type":"interaction.completed","data":{"id":"v1_abc"}}"#;
        let headers = sign(&[stranger], "evt_1", NOW, body);
        assert_eq!(
            receive(std::slice::from_ref(&secret), &headers, body, NOW),
            Err(SignatureError::Unsigned)
        );
        assert_eq!(receive(&[], &headers, body, NOW), Err(SignatureError::Unsigned));
        let large = vec![b' '; BODY_BYTES_MAX + 1];
        let headers = sign(std::slice::from_ref(&secret), "evt_1", NOW, &large);
        assert_eq!(receive(&[secret], &headers, &large, NOW), Err(SignatureError::Unsigned));
    }
}
