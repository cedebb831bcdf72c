//! The settings: forms for those that are safe to change here, one small call to try them, and all of them with where
//! each comes from. Of a secret only whether there is one; what is typed as one is never shown again.

use std::collections::BTreeMap;

use axum::{Form, extract::State, http::StatusCode};
use minijinja::{Value, context};
use probity_research::{CodedError, text};
use serde::Deserialize;

use super::PageResult;
use crate::{
    PageState,
    backend::{KeyChange, KeyField, SettingEntry, SettingField, SettingGroup, SettingTrial, SettingValue},
    view,
};

/// There are about a hundred settings.
const ROWS_MAX: usize = 500;
/// Longest sentence about what was done: it names files.
const SENTENCE_CHARACTERS_MAX: usize = 800;
/// The field with the token of our forms.
const WORD: &str = "word";

/// A key that was typed, or the wish to remove the stored one. No `Debug`: it holds a secret.
#[derive(Deserialize)]
pub(crate) struct KeyForm {
    #[serde(default)]
    word: String,
    #[serde(default)]
    name: String,
    #[serde(default)]
    key: String,
    #[serde(default)]
    remove: String,
}

#[derive(Debug, Default, Deserialize)]
pub(crate) struct TrialForm {
    #[serde(default)]
    word: String,
    #[serde(default)]
    what: String,
}

/// What the page says first: what was just done, or why not.
struct PageNotice {
    is_good: bool,
    sentence: String,
}

impl PageNotice {
    fn of(done: Result<String, CodedError>) -> Self {
        match done {
            Ok(sentence) => Self { is_good: true, sentence },
            Err(problem) => Self { is_good: false, sentence: problem.message },
        }
    }
}

pub(crate) async fn show(State(shared): State<PageState>) -> PageResult {
    page(&shared, None, &BTreeMap::new()).await
}

pub(crate) async fn change(
    State(shared): State<PageState>,
    Form(mut typed): Form<BTreeMap<String, String>>,
) -> PageResult {
    let word = typed.remove(WORD).unwrap_or_default();
    if let Some(refused) = shared.refuse_foreign_form(&word) {
        return Ok(refused);
    }
    let done = shared.backend.change_settings(typed.clone()).await;
    // What was refused stays in its fields, to be mended.
    let kept = if done.is_ok() { BTreeMap::new() } else { typed };
    page(&shared, Some(PageNotice::of(done)), &kept).await
}

pub(crate) async fn change_key(State(shared): State<PageState>, Form(typed): Form<KeyForm>) -> PageResult {
    if let Some(refused) = shared.refuse_foreign_form(&typed.word) {
        return Ok(refused);
    }
    let change = match typed.remove.is_empty() {
        true => KeyChange::Store(typed.key.trim().to_owned()),
        false => KeyChange::Remove,
    };
    let done = shared.backend.change_key(typed.name, change).await;
    page(&shared, Some(PageNotice::of(done)), &BTreeMap::new()).await
}

pub(crate) async fn try_one(State(shared): State<PageState>, Form(typed): Form<TrialForm>) -> PageResult {
    if let Some(refused) = shared.refuse_foreign_form(&typed.word) {
        return Ok(refused);
    }
    let notice = match shared.backend.try_setting(typed.what).await {
        Ok(outcome) => PageNotice { is_good: outcome.is_good, sentence: outcome.sentence },
        Err(problem) => PageNotice::of(Err(problem)),
    };
    page(&shared, Some(notice), &BTreeMap::new()).await
}

/// `kept` is what was typed and refused, by key.
async fn page(shared: &PageState, notice: Option<PageNotice>, kept: &BTreeMap<String, String>) -> PageResult {
    let shown = shared.backend.settings().await.map_err(|problem| shared.page_error(problem))?;
    let status = if kept.is_empty() { StatusCode::OK } else { StatusCode::BAD_REQUEST };
    let groups: Vec<Value> = shown.groups.iter().map(|group| group_values(group, kept)).collect();
    let keys: Vec<Value> = shown.keys.iter().map(key_values).collect();
    let trials: Vec<Value> = shown.trials.iter().map(trial_values).collect();
    let rows: Vec<Value> = shown.entries.iter().take(ROWS_MAX).map(entry_values).collect();
    let waiting: Vec<String> = shown.changed_since_start.iter().map(|key| view::short(key)).collect();
    let values = context! {
        title => "Settings",
        here => "settings",
        word => shared.login.form_token(),
        notice => notice.map(|notice| context! {
            good => notice.is_good,
            sentence => text::line(&notice.sentence, SENTENCE_CHARACTERS_MAX),
        }),
        file => view::short(&shown.file),
        groups,
        keys,
        trials,
        rows,
        waiting,
    };
    Ok(shared.renderer.page_with(status, "settings.html", values))
}

fn group_values(group: &SettingGroup, kept: &BTreeMap<String, String>) -> Value {
    let fields: Vec<Value> = group.fields.iter().map(|field| field_values(field, kept)).collect();
    context! { title => group.title, about => group.about, fields }
}

fn field_values(field: &SettingField, kept: &BTreeMap<String, String>) -> Value {
    let typed = kept.get(field.key).unwrap_or(&field.written);
    let value = if field.value.is_empty() { "(none)".to_owned() } else { view::short(&field.value) };
    context! {
        key => field.key,
        label => field.label,
        meaning => field.meaning,
        choices => field.choices.clone(),
        typed => typed.clone(),
        value,
        origin => view::short(&field.origin),
        over => field.overridden_by.as_deref().map(view::short),
        when_empty => view::short(&field.when_empty),
    }
}

fn key_values(key: &KeyField) -> Value {
    context! {
        name => key.name,
        meaning => key.meaning.clone(),
        set => key.is_set,
        stored => key.is_stored,
        origin => view::short(&key.origin),
    }
}

fn trial_values(trial: &SettingTrial) -> Value {
    context! {
        name => trial.name.clone(),
        label => view::short(&trial.label),
        cost => view::short(&trial.cost),
    }
}

fn entry_values(setting: &SettingEntry) -> Value {
    let (value, secret) = match &setting.value {
        SettingValue::Shown(value) => (view::short(value), false),
        SettingValue::SecretPresent => ("set".to_owned(), true),
        SettingValue::SecretAbsent => ("not set".to_owned(), true),
    };
    context! {
        key => view::short(&setting.key),
        value,
        secret,
        origin => view::short(&setting.origin),
        by_default => setting.origin == "default",
    }
}
