//! Google's Interactions API, and the part of generateContent that the Gemini CLI and the SDKs use, as a
//! pure state machine, and the same on loopback.
//!
//! `World` decides every answer from calls and times alone: no clock, no socket, no task. `serve` puts it
//! behind HTTP. The ledger inside the world is the judge of double payment. `SmallWeb` works the same way:
//! pages of many hosts and the search APIs that index them. `ChatModel` is a language model behind an
//! OpenAI-compatible API; `research` has whole worlds and a model with limits for it. Never contacts the real service and never checks that a client is polite.

pub mod call;
pub mod chat;
pub mod fault;
pub mod ledger;
mod named_set;
pub mod reports;
pub mod research;
pub mod rounds;
pub mod scenario;
pub mod serve;
pub mod simulator;
pub mod web;
pub mod world;

pub use call::{CallMethod, SimulatorAnswer, SimulatorCall, StreamNext, StreamPull};
pub use chat::{Asked, ChatBehaviour, ChatFault, ChatLedger, ChatModel, Script};
pub use fault::{Fault, FaultKind, FaultRoute};
pub use ledger::{CreateRecord, TurnApi, TurnCharge, TurnRecord, WorldLedger};
pub use reports::{GivenReport, GivenSentence, Reports};
pub use research::{ResearchLimits, ResearchModel, ResearchWorld};
pub use rounds::{Item, Pages, RoundsError, RoundsScript};
pub use scenario::{Name, Scenario, ScenarioError};
pub use serve::{LoadStatsView, SimulatorHandle, TimeMode};
pub use simulator::{Simulator, SimulatorOptions};
pub use web::{SmallWeb, SmallWebPage, WebFault, WebFaultKind, WebLedger};
pub use world::{StreamCursor, World, WorldSettings};
