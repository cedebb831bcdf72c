//! Whether the user is told that a run ended, and how.

use serde::{Deserialize, Serialize};

#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Notify {
    #[default]
    WhenDone,
    Never,
}

/// How the end of a run can be told on this machine.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum NotificationChannel {
    Desktop,
    /// It is sent, on a kind of system on which nobody has seen one yet.
    Uncertain,
    /// No desktop session: a line on stderr is all there is.
    ConsoleOnly,
    SwitchedOff,
}

/// What a caller that got an id can expect, as the second sentence of its answer.
pub fn promise(wanted: Notify, channel: NotificationChannel) -> &'static str {
    match (wanted, channel) {
        (Notify::WhenDone, NotificationChannel::Desktop) => "Notification when complete.",
        (Notify::WhenDone, NotificationChannel::Uncertain) => {
            "Notification when complete, if this system shows it."
        }
        (Notify::WhenDone, NotificationChannel::ConsoleOnly) => {
            "No notification will come: there is no desktop here."
        }
        (Notify::WhenDone, NotificationChannel::SwitchedOff) => {
            "No notification will come: notifications are switched off."
        }
        (Notify::Never, _) => "No notification will come: none was asked for.",
    }
}
