//! The settings of watched reports.

use super::{ProjectRule, SettingDefinition, SettingKind};

pub const KNOWN: &[SettingDefinition] = &[
    SettingDefinition {
        key: "watch.by_server",
        kind: SettingKind::Switch,
        default: "false",
        in_project: ProjectRule::Refused,
        meaning: "Whether `probity serve` checks watched reports again when they are due; else `probity watch run` does, from a line of cron. What may cost more than `mcp.ask_above_usd` is not started either way.",
    },
    SettingDefinition {
        key: "watch.webhook",
        kind: SettingKind::Secret,
        default: "",
        in_project: ProjectRule::Refused,
        meaning: "Where a changed verdict of a watched report is told by POST, as JSON: an `https` address, or `http` on this machine. Redirects are not followed. Never shown.",
    },
];
