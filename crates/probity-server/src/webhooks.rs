//! Webhooks as in Standard Webhooks: what we send is signed, what a provider sends is verified.
//!
//! A message names a research and says how it stands; it never carries a result. Whoever gets one fetches the
//! result with a key of their own, so a leaked address leaks no report. Sockets and rows stay outside: `deliver`
//! sees both through small traits.

pub mod delivery;
pub mod incoming;
pub mod message;
pub mod secret;
pub mod signature;
mod wire;

pub use delivery::{DeliveryOutcome, Outbox, OutgoingMessage, WebhookDispatcher, WebhookSender};
pub use incoming::{ProviderNotice, ProviderNoticeKind};
pub use message::WebhookMessage;
pub use secret::WebhookSecret;
pub use signature::{SignatureError, SignatureHeaders, sign, verify};
