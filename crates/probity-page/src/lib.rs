//! The local web page of Probity: library, live run, reader with evidence, trace, costs, settings.
//!
//! A user interface only: everything it shows and does it asks of a `UiBackend`. It serves browsers on this
//! machine alone (`login`), and what it shows comes from the open web, so nothing shown can act: templates
//! escape every value, scripts and styles come from our own files, and no address outside is ever loaded.

pub mod app;
mod assets;
pub mod backend;
mod guard;
mod live;
pub mod login;
mod pages;
mod render;
mod view;

use std::sync::Arc;

use axum::{
    Router,
    extract::DefaultBodyLimit,
    middleware,
    routing::{get, post},
};

pub use backend::UiBackend;
pub use login::{PageLogin, PageName};

/// Largest form taken: a question may have 32 KiB, and percent-encoding triples it.
const FORM_BYTES_MAX: usize = 128 * 1024;
/// A form with a text to be checked: three bytes for each byte that a form spells out.
const CHECK_FORM_BYTES_MAX: usize = 3 * pages::checks::TEXT_BYTES_MAX + FORM_BYTES_MAX;

/// What every handler shares.
#[derive(Clone)]
pub(crate) struct PageState {
    pub backend: Arc<dyn UiBackend>,
    pub login: Arc<PageLogin>,
    pub renderer: Arc<render::PageRenderer>,
}

/// All pages behind one guard. The caller binds loopback only and serves it there.
pub fn router(backend: Arc<dyn UiBackend>, login: Arc<PageLogin>) -> Router {
    let shared = PageState { backend, login, renderer: Arc::new(render::PageRenderer::new()) };
    Router::new()
        .route("/", get(pages::library::show))
        .route("/trash", get(pages::library::trash))
        .route("/new", get(pages::start::show).post(pages::start::propose))
        .route("/new/start", post(pages::start::start))
        .route("/new/edit", post(pages::start::edit))
        .route(
            "/check",
            get(pages::checks::show)
                .post(pages::checks::propose)
                .layer(DefaultBodyLimit::max(CHECK_FORM_BYTES_MAX)),
        )
        .route("/check/start", post(pages::checks::start).layer(DefaultBodyLimit::max(CHECK_FORM_BYTES_MAX)))
        .route("/research/{id}", get(pages::research::show))
        .route("/research/{id}/live", get(live::live_stream))
        .route("/research/{id}/trace", get(pages::trace::show))
        .route("/research/{id}/claims", get(pages::claims::list))
        .route("/research/{id}/claims/{claim}", get(pages::claims::one))
        .route("/research/{id}/card", get(pages::claims::card))
        .route("/research/{id}/cancel", post(pages::research::cancel))
        .route("/research/{id}/budget", post(pages::research::extend))
        .route("/research/{id}/steer", post(pages::steering::tell))
        .route("/research/{id}/title", post(pages::shelf::rename))
        .route("/research/{id}/tags", post(pages::shelf::retag))
        .route("/research/{id}/remove", get(pages::shelf::confirm).post(pages::shelf::remove))
        .route("/research/{id}/restore", post(pages::shelf::restore))
        .route("/research/{id}/follow-up", post(pages::follow_up::propose))
        .route("/research/{id}/follow-up/start", post(pages::follow_up::begin))
        .route("/research/{id}/{file}", get(pages::research::download))
        .route("/costs", get(pages::costs::show))
        .route("/settings", get(pages::settings::show).post(pages::settings::change))
        .route("/settings/key", post(pages::settings::change_key))
        .route("/settings/try", post(pages::settings::try_one))
        .route("/assets/{name}", get(assets::show))
        .fallback(pages::not_found)
        .layer(DefaultBodyLimit::max(FORM_BYTES_MAX))
        .layer(middleware::from_fn_with_state(shared.clone(), guard::check_request))
        .with_state(shared)
}
