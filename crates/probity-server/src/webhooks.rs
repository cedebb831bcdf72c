//! Webhooks as in Standard Webhooks: what we send is signed, what a provider sends is verified.
//!
//! A message names a run and its status; it never contains a result. A receiver fetches the result with a key
//! of its own, so a leaked address leaks no report. Sockets and rows stay outside: `delivery` uses both
//! through small traits.

pub mod delivery;
pub mod incoming;
pub mod message;
pub mod sealing;
pub mod secret;
pub mod signature;
mod wire;

pub use delivery::{DeliveryOutcome, Outbox, OutgoingMessage, WebhookDispatcher, WebhookSender};
pub use incoming::{ProviderNotice, ProviderNoticeKind};
pub use message::WebhookMessage;
pub use sealing::{OpenedSecret, SealingKeys, open_secret};
pub use secret::WebhookSecret;
pub use signature::{SignatureError, SignatureHeaders, sign, verify};
