//! Which operation a method and a target mean. Any version segment and any prefix will do.

use super::{generate::GenerateAction, redirect};
use crate::{call::CallMethod, fault::FaultRoute};

#[derive(Debug, PartialEq, Eq)]
pub(crate) enum WorldRoute {
    Create,
    Get {
        id: String,
    },
    Stream {
        id: String,
        after: Option<String>,
    },
    Cancel {
        id: String,
    },
    Delete {
        id: String,
    },
    /// generateContent and its relatives.
    Generate {
        model: String,
        action: GenerateAction,
    },
    /// A citation is being followed.
    Redirect {
        token: String,
    },
    Unknown,
}

impl WorldRoute {
    pub(crate) fn parse(method: CallMethod, target: &str) -> Self {
        let (path, query) = target.split_once('?').unwrap_or((target, ""));
        if let Some(token) = path.strip_prefix('/').and_then(|path| path.strip_prefix(redirect::PATH)) {
            let token = token.strip_prefix('/').unwrap_or_default().to_owned();
            return match method {
                CallMethod::Get | CallMethod::Head => Self::Redirect { token },
                CallMethod::Post | CallMethod::Delete | CallMethod::Other => Self::Unknown,
            };
        }
        if let Some((model, action)) = path.rsplit_once("/models/").and_then(|(_, last)| last.split_once(':'))
        {
            return match (method, GenerateAction::parse(action)) {
                (CallMethod::Post, Some(action)) if !model.is_empty() => {
                    Self::Generate { model: model.to_owned(), action }
                }
                _ => Self::Unknown,
            };
        }
        let mut segments = path.split('/').skip_while(|segment| *segment != "interactions").skip(1);
        let (id, verb, more) = (segments.next(), segments.next(), segments.next());
        if more.is_some() || !path.split('/').any(|segment| segment == "interactions") {
            return Self::Unknown;
        }
        match (method, id.filter(|id| !id.is_empty()).map(str::to_owned), verb) {
            (CallMethod::Post, None, None) => Self::Create,
            (CallMethod::Post, Some(id), Some("cancel")) => Self::Cancel { id },
            (CallMethod::Delete, Some(id), None) => Self::Delete { id },
            (CallMethod::Get, Some(id), None) if parameter(query, "stream") == Some("true") => {
                Self::Stream { id, after: parameter(query, "last_event_id").map(str::to_owned) }
            }
            (CallMethod::Get, Some(id), None) => Self::Get { id },
            _ => Self::Unknown,
        }
    }

    pub(crate) fn fault_route(&self) -> Option<FaultRoute> {
        match self {
            Self::Create => Some(FaultRoute::Create),
            Self::Get { .. } => Some(FaultRoute::Get),
            Self::Stream { .. } => Some(FaultRoute::Stream),
            Self::Cancel { .. } => Some(FaultRoute::Cancel),
            Self::Delete { .. } => Some(FaultRoute::Delete),
            Self::Generate { .. } => Some(FaultRoute::Generate),
            Self::Redirect { .. } | Self::Unknown => None,
        }
    }
}

/// The value of a query parameter. Ours need no decoding: ids and numbers only.
pub(crate) fn parameter<'query>(query: &'query str, name: &str) -> Option<&'query str> {
    query
        .split('&')
        .filter_map(|pair| pair.split_once('='))
        .find(|(key, value)| *key == name && !value.is_empty())
        .map(|(_, value)| value)
}
