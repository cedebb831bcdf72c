//! The forms of the settings screen: which settings, in which order, under which plain names.

use probity_page::backend::{SettingField, SettingGroup};

/// Settings that are saved together.
pub struct GroupFacts {
    title: &'static str,
    about: &'static str,
    pub fields: &'static [FieldFacts],
}

/// One field.
pub struct FieldFacts {
    pub key: &'static str,
    pub label: &'static str,
    /// What is done where it is left empty; empty: the default of the setting says it.
    pub when_empty: &'static str,
}

impl GroupFacts {
    pub fn view(&self, field: impl Fn(&FieldFacts) -> Option<SettingField>) -> SettingGroup {
        SettingGroup {
            title: self.title,
            about: self.about,
            fields: self.fields.iter().filter_map(field).collect(),
        }
    }
}

/// `None`: not changed on the page.
pub fn field_of(key: &str) -> Option<&'static FieldFacts> {
    GROUPS.iter().flat_map(|group| group.fields).find(|facts| facts.key == key)
}

pub const GROUPS: &[GroupFacts] = &[
    GroupFacts {
        title: "Money and time",
        about: "What a research may cost and take. A run that has begun keeps the limits it was started with.",
        fields: &[
            FieldFacts {
                key: "budget.max_usd",
                label: "Most that one research may cost",
                when_empty: "no cap of your own",
            },
            FieldFacts {
                key: "budget.guard_usd",
                label: "Most that one on the web engine may cost without a stated budget",
                when_empty: "its plan stays whole",
            },
            FieldFacts {
                key: "budget.per_day_usd",
                label: "Most that all may cost within 24 hours",
                when_empty: "no cap for a day",
            },
            FieldFacts { key: "mcp.ask_above_usd", label: "Ask me above", when_empty: "" },
            FieldFacts {
                key: "mcp.unasked_max_usd",
                label: "Most that a model may confirm by itself",
                when_empty: "",
            },
            FieldFacts { key: "research.deadline", label: "Longest time of one research", when_empty: "" },
        ],
    },
    GroupFacts {
        title: "Research",
        about: "What answers where nothing else is said.",
        fields: &[
            FieldFacts { key: "research.engine", label: "Engine", when_empty: "" },
            FieldFacts { key: "research.agent", label: "Agent", when_empty: "" },
            FieldFacts { key: "rounds.max_iterations", label: "Rounds of a deep search", when_empty: "" },
            FieldFacts {
                key: "rounds.model",
                label: "Model of the rounds",
                when_empty: "the engine chooses",
            },
            FieldFacts {
                key: "rounds.correction_model",
                label: "Model that corrects the form of an answer",
                when_empty: "the engine chooses",
            },
            FieldFacts { key: "rounds.verification", label: "What makes an answer verified", when_empty: "" },
            FieldFacts { key: "rounds.round_deadline", label: "Longest time of one round", when_empty: "" },
        ],
    },
    GroupFacts {
        title: "Language model",
        about: "The model that plans, reads and writes for the web engine. Its address, to which the key is sent, is set \
                with `probity config set chat.base_url`.",
        fields: &[
            FieldFacts { key: "chat.kind", label: "Kind of endpoint", when_empty: "" },
            FieldFacts {
                key: "chat.model",
                label: "Model",
                when_empty: "Gemini where there is a key, else none",
            },
            FieldFacts {
                key: "chat.planner_model",
                label: "Model that plans",
                when_empty: "the model above",
            },
            FieldFacts {
                key: "chat.reader_model",
                label: "Model that reads pages",
                when_empty: "the model above",
            },
            FieldFacts {
                key: "chat.writer_model",
                label: "Model that writes the report",
                when_empty: "the model above",
            },
            FieldFacts { key: "chat.window_tokens", label: "Tokens that it takes at once", when_empty: "" },
        ],
    },
    GroupFacts {
        title: "Search and pages",
        about: "Who is asked for pages, and how they are read. Lists are written with commas.",
        fields: &[
            FieldFacts {
                key: "search.providers",
                label: "Search providers, best first",
                when_empty: "those that have a key, and those that need none",
            },
            FieldFacts { key: "search.searxng_url", label: "Your own SearXNG", when_empty: "none is asked" },
            FieldFacts { key: "web.archive", label: "Look for dead pages in the archive", when_empty: "" },
            FieldFacts {
                key: "web.page_service",
                label: "Let Firecrawl read pages that we cannot",
                when_empty: "",
            },
            FieldFacts { key: "web.browser", label: "Chromium for pages that scripts build", when_empty: "" },
        ],
    },
    GroupFacts {
        title: "Checks",
        about: "How claims are checked against the pages they cite.",
        fields: &[
            FieldFacts { key: "checks.enabled", label: "Check every report", when_empty: "" },
            FieldFacts { key: "checks.judge", label: "Who judges", when_empty: "" },
            FieldFacts {
                key: "checks.judge_model",
                label: "Model that judges",
                when_empty: "the language model",
            },
            FieldFacts {
                key: "checks.second_judge",
                label: "Second model that judges",
                when_empty: "there is no second judge",
            },
            FieldFacts { key: "checks.exam", label: "Exam of a judge", when_empty: "" },
            FieldFacts { key: "checks.pages_max", label: "Most pages for one text", when_empty: "" },
            FieldFacts { key: "checks.claims_max", label: "Most claims of one text", when_empty: "" },
        ],
    },
    GroupFacts {
        title: "Notifications",
        about: "What the desktop is told.",
        fields: &[
            FieldFacts {
                key: "notifications.enabled",
                label: "Tell me when a research ends",
                when_empty: "",
            },
            FieldFacts { key: "notifications.show_query", label: "Show the question there", when_empty: "" },
        ],
    },
];
