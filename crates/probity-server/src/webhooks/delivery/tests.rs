use std::{collections::BTreeMap, sync::Mutex, time::Duration};

use probity_research::{CodedError, RunId, error::Code, status::RunStatus, time::Moment};

use super::{
    DeliveryOutcome, Outbox, OutgoingMessage, PAUSES, WebhookDispatcher, WebhookMessage, WebhookSecret,
    WebhookSender, outcome,
};
use crate::webhooks::{SignatureHeaders, verify};

const NOW: Moment = Moment(1_790_000_000_000);
const SECRET: &str = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw";

fn outgoing(number: u128, url: &str) -> OutgoingMessage {
    let message = WebhookMessage {
        id: format!("dlv_{number}"),
        research: RunId::from_random(number),
        status: RunStatus::Completed,
        asked_at: NOW,
        rested_at: NOW,
    };
    OutgoingMessage {
        message,
        url: url.to_owned(),
        secrets: vec![WebhookSecret::parse(SECRET).unwrap()],
        tries: 0,
    }
}

#[derive(Default)]
struct TestOutbox {
    waiting: Mutex<Vec<OutgoingMessage>>,
    settled: Mutex<BTreeMap<String, DeliveryOutcome>>,
}

impl Outbox for &TestOutbox {
    async fn claim(&self, room: usize) -> Result<Vec<OutgoingMessage>, CodedError> {
        let mut waiting = self.waiting.lock().unwrap();
        let count = room.min(waiting.len());
        Ok(waiting.drain(..count).collect())
    }

    async fn settle(&self, id: &str, outcome: DeliveryOutcome) -> Result<(), CodedError> {
        assert!(self.settled.lock().unwrap().insert(id.to_owned(), outcome).is_none(), "{id} twice");
        Ok(())
    }
}

/// Answers with the status that the address ends with, after checking what a receiver checks.
struct TestDispatcher;

impl WebhookSender for TestDispatcher {
    async fn post(
        &self,
        url: &str,
        headers: Vec<(&'static str, String)>,
        body: Vec<u8>,
    ) -> Result<u16, CodedError> {
        let find = |name| headers.iter().find(|(known, _)| *known == name).map(|(_, text)| text.as_str());
        let read = SignatureHeaders::read(find).unwrap();
        verify(&[WebhookSecret::parse(SECRET).unwrap()], &read, &body, NOW).unwrap();
        let status = url.rsplit('/').next().unwrap().parse();
        status.map_err(|_| CodedError::new(Code::AddressRefused, "the address is not public"))
    }
}

#[tokio::test]
async fn every_claimed_message_is_signed_sent_and_settled() {
    let rows = TestOutbox::default();
    let urls =
        ["https://a.example/200", "https://a.example/500", "https://a.example/410", "http://10.0.0.1/in"];
    rows.waiting.lock().unwrap().extend((0..20).map(|number| outgoing(number, urls[number as usize % 4])));
    let deliverer = WebhookDispatcher::new(&rows, TestDispatcher);
    assert_eq!(deliverer.deliver_due(NOW).await.unwrap(), 16);
    assert_eq!(deliverer.deliver_due(NOW).await.unwrap(), 4);
    assert_eq!(deliverer.deliver_due(NOW).await.unwrap(), 0);
    let settled = rows.settled.lock().unwrap();
    let count = |is: fn(&DeliveryOutcome) -> bool| settled.values().filter(|outcome| is(outcome)).count();
    assert_eq!(count(|outcome| *outcome == DeliveryOutcome::Delivered), 5);
    assert_eq!(count(|outcome| matches!(outcome, DeliveryOutcome::Retry { .. })), 10);
    assert_eq!(count(|outcome| matches!(outcome, DeliveryOutcome::Dead { .. })), 5);
}

#[test]
fn tries_have_growing_pauses_and_an_end() {
    let mut previous = Duration::ZERO;
    for tries in 0..8 {
        let DeliveryOutcome::Retry { after, why } = outcome(&Ok(503), tries, 0.0) else { panic!("{tries}") };
        assert_eq!((after, why.as_str()), (PAUSES[tries as usize], "the receiver answered 503"));
        assert!(after >= previous);
        previous = after;
    }
    assert!(matches!(outcome(&Ok(503), 8, 0.0), DeliveryOutcome::Dead { .. }));
    assert!(matches!(outcome(&Ok(503), u32::MAX, 0.0), DeliveryOutcome::Dead { .. }));
    let DeliveryOutcome::Retry { after, .. } = outcome(&Ok(503), 0, 0.5) else { panic!() };
    assert_eq!(after, Duration::from_millis(5500));
}

#[test]
fn a_redirect_is_no_delivery() {
    for status in [301, 302, 307, 308, 400, 401, 404, 429, 500] {
        assert!(matches!(outcome(&Ok(status), 0, 0.0), DeliveryOutcome::Retry { .. }), "{status}");
    }
    for status in [200, 202, 204] {
        assert_eq!(outcome(&Ok(status), 0, 0.0), DeliveryOutcome::Delivered);
    }
}
