//! The settings with where each comes from. Shown, not changed here; of a secret only whether there is one.

use axum::extract::State;
use minijinja::{Value, context};

use super::PageResult;
use crate::{PageState, backend::SettingValue, view};

/// There are about a hundred settings.
const ROWS_MAX: usize = 500;

pub(crate) async fn show(State(shared): State<PageState>) -> PageResult {
    let settings = shared.backend.settings().await.map_err(|problem| shared.page_error(problem))?;
    let rows: Vec<Value> = settings
        .iter()
        .take(ROWS_MAX)
        .map(|setting| {
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
        })
        .collect();
    Ok(shared.renderer.page("settings.html", context! { title => "Settings", here => "settings", rows }))
}
