//! Ids of a client's requests that are not answered yet. The protocol forbids using one twice: the library would answer
//! one of the two, with either's answer, and leave the other waiting for ever.

use std::{
    collections::VecDeque,
    hash::{BuildHasher as _, RandomState},
    sync::{Mutex, PoisonError},
};

use rmcp::{
    ErrorData,
    model::{JsonRpcMessage, RequestId, ServerJsonRpcMessage},
};

/// Ids remembered for one client: far more than it may have open. A request that was cancelled is never answered, and
/// its id stays until this many came after it.
const KEPT_MAX: usize = 4_096;

/// Hashes, because a client chooses how long its ids are.
#[derive(Debug, Default)]
pub struct OpenRequests {
    hashes: RandomState,
    open: Mutex<VecDeque<u64>>,
}

/// Whether a request may go on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RequestIdState {
    /// It was free, and is taken now.
    Free,
    /// A request with the same id is not answered yet.
    Taken,
}

impl OpenRequests {
    pub fn take(&self, id: &RequestId) -> RequestIdState {
        let hash = self.hashes.hash_one(id);
        let mut open = self.open.lock().unwrap_or_else(PoisonError::into_inner);
        if open.contains(&hash) {
            return RequestIdState::Taken;
        }
        if open.len() >= KEPT_MAX {
            open.pop_front();
        }
        open.push_back(hash);
        RequestIdState::Free
    }

    /// An answer frees the id that it names; other messages change nothing.
    pub fn was_sent(&self, message: &ServerJsonRpcMessage) {
        let id = match message {
            JsonRpcMessage::Response(response) => Some(&response.id),
            JsonRpcMessage::Error(error) => error.id.as_ref(),
            JsonRpcMessage::Request(_) | JsonRpcMessage::Notification(_) => None,
        };
        let Some(hash) = id.map(|id| self.hashes.hash_one(id)) else { return };
        self.open.lock().unwrap_or_else(PoisonError::into_inner).retain(|open| *open != hash);
    }
}

/// The answer to a request whose id is taken.
pub fn refusal(id: RequestId) -> ServerJsonRpcMessage {
    let message = "a request with this id is not answered yet; every request needs an id of its own";
    JsonRpcMessage::error(ErrorData::invalid_request(message, None), Some(id))
}

#[cfg(test)]
mod tests {
    use rmcp::model::RequestId;

    use super::{KEPT_MAX, OpenRequests, RequestIdState, refusal};

    fn number(number: usize) -> RequestId {
        RequestId::Number(i64::try_from(number).unwrap())
    }

    #[test]
    fn an_id_is_taken_until_it_is_answered() {
        let open = OpenRequests::default();
        assert_eq!(open.take(&number(1)), RequestIdState::Free);
        assert_eq!(open.take(&number(1)), RequestIdState::Taken);
        assert_eq!(open.take(&RequestId::String("1".into())), RequestIdState::Free);
        open.was_sent(&refusal(number(1)));
        assert_eq!(open.take(&number(1)), RequestIdState::Free);
    }

    #[test]
    fn the_oldest_are_forgotten() {
        let open = OpenRequests::default();
        for id in 0..=KEPT_MAX {
            assert_eq!(open.take(&number(id)), RequestIdState::Free);
        }
        assert_eq!(open.take(&number(0)), RequestIdState::Free);
        assert_eq!(open.take(&number(KEPT_MAX)), RequestIdState::Taken);
    }
}
