//! What a webhook says: which research, how it stands, when. Ids, a status and times, never contents.

use probity_research::{Problem, ResearchId, error::Code, status::Status, time::Moment};

use super::wire::{Data, Wire};

/// One message, the same for every try to deliver it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Message {
    /// Names the message for receivers that count twice-told things once.
    pub id: String,
    pub research: ResearchId,
    pub status: Status,
    pub asked_at: Moment,
    /// When the research came to rest.
    pub rested_at: Moment,
}

impl Message {
    /// The bytes that are signed and sent.
    pub fn body(&self) -> Result<Vec<u8>, Problem> {
        let status = self.status.as_str();
        let wire = Wire {
            kind: format!("research.{status}"),
            timestamp: self.rested_at.to_string(),
            data: Data {
                id: self.research.to_string(),
                status,
                asked_at: self.asked_at.to_string(),
                rested_at: self.rested_at.to_string(),
            },
        };
        serde_json::to_vec(&wire)
            .map_err(|_| Problem::new(Code::StoreFailed, "the webhook's message cannot be written"))
    }
}

#[cfg(test)]
mod tests {
    use probity_research::{ResearchId, status::Status, time::Moment};

    use super::Message;

    #[test]
    fn a_message_has_ids_status_and_times_and_nothing_else() {
        let message = Message {
            id: "dlv_1".to_owned(),
            research: ResearchId::from_random(7),
            status: Status::Completed,
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
