//! The content of a webhook: which run, its status, when. Ids, a status and times, never contents.

use probity_research::{CodedError, RunId, error::Code, status::RunStatus, time::Moment};

use super::wire::{WebhookPayload, WebhookPayloadData};

/// One message, the same for every try to deliver it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct WebhookMessage {
    /// Names the message, so that receivers can ignore a repeated delivery.
    pub id: String,
    pub research: RunId,
    pub status: RunStatus,
    pub asked_at: Moment,
    /// When the run came to rest.
    pub rested_at: Moment,
}

impl WebhookMessage {
    /// The bytes that are signed and sent.
    pub fn body(&self) -> Result<Vec<u8>, CodedError> {
        let status = self.status.as_str();
        let wire = WebhookPayload {
            kind: format!("research.{status}"),
            timestamp: self.rested_at.to_string(),
            data: WebhookPayloadData {
                id: self.research.to_string(),
                status,
                asked_at: self.asked_at.to_string(),
                rested_at: self.rested_at.to_string(),
            },
        };
        serde_json::to_vec(&wire)
            .map_err(|_| CodedError::new(Code::StoreFailed, "the webhook's message cannot be written"))
    }
}

#[cfg(test)]
mod tests {
    use probity_research::{RunId, status::RunStatus, time::Moment};

    use super::WebhookMessage;

    #[test]
    fn a_message_has_ids_status_and_times_and_nothing_else() {
        let message = WebhookMessage {
            id: "dlv_1".to_owned(),
            research: RunId::from_random(7),
            status: RunStatus::Completed,
            asked_at: Moment(1_790_000_000_000),
            rested_at: Moment(1_790_000_060_000),
        };
        assert_eq!(
            String::from_utf8(message.body().unwrap()).unwrap(),
            "{\"type\":\"research.completed\",\"timestamp\":\"2026-09-21T14:14:20.000Z\",\"data\":{\
             \"id\":\"res_00000000000000000000000000000007\",\"status\":\"completed\",\
             \"asked_at\":\"2026-09-21T14:13:20.000Z\",\"rested_at\":\"2026-09-21T14:14:20.000Z\"}}"
        );
    }
}
