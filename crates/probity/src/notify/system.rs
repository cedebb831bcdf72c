//! What shows notifications on each system, and whether anybody has seen it do so. Pure: the system comes in by its name,
//! as `std::env::consts::OS` has it.

use probity_research::notify::NotificationChannel;

/// What shows a notification on one system.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SystemNotifier {
    pub name: &'static str,
    pub trial: NotifierTrial,
}

/// Whether a notification of ours was ever seen on such a system.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum NotifierTrial {
    /// Shown by a real desktop, in the figures.
    Tried,
    /// It was only written: that a call succeeds there does not mean that a user saw anything.
    Untried,
}

/// What is logged about a run that came to rest.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum EndLine {
    /// The desktop shows it.
    NotNeeded,
    /// The desktop did not take it.
    NotShown,
    /// The system took it, and nobody knows whether it is seen.
    Uncertain,
}

pub fn notifier(system: &str) -> SystemNotifier {
    let (name, trial) = match system {
        "linux" => ("the desktop's D-Bus interface", NotifierTrial::Tried),
        "macos" => ("the notification centre", NotifierTrial::Untried),
        "windows" => ("toast notifications", NotifierTrial::Untried),
        _ => ("the desktop's D-Bus interface", NotifierTrial::Untried),
    };
    SystemNotifier { name, trial }
}

/// Every end has a line but one that a desktop shows of which that is known.
pub fn end_line(system: &str, answer: NotifierAnswer) -> EndLine {
    match (answer, notifier(system).trial) {
        (NotifierAnswer::Refused, _) => EndLine::NotShown,
        (NotifierAnswer::Accepted, NotifierTrial::Untried) => EndLine::Uncertain,
        (NotifierAnswer::Accepted, NotifierTrial::Tried) => EndLine::NotNeeded,
    }
}

/// What the system did with a notification.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum NotifierAnswer {
    Accepted,
    Refused,
}

/// How ends are told on this system, for somebody who looks.
pub fn in_words(system: &str, channel: NotificationChannel) -> String {
    let SystemNotifier { name, trial } = notifier(system);
    let trial = match trial {
        NotifierTrial::Tried => "tried",
        NotifierTrial::Untried => "untried",
    };
    let told = match channel {
        NotificationChannel::Desktop => "a line on stderr tells what it does not show",
        NotificationChannel::Uncertain => "the end of each run is told on stderr as well",
        NotificationChannel::ConsoleOnly => "no desktop here: the end of each run is told on stderr",
        NotificationChannel::SwitchedOff => "switched off: `probity runs list` has what ended",
    };
    format!("{name}, {trial} on {system}; {told}")
}
