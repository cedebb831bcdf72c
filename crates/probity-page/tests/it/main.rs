//! The page as a browser meets it: every route through the door, with hostile texts, without scripts.
#![allow(clippy::unwrap_used, clippy::indexing_slicing, reason = "tests panic")]

#[path = "../../examples/preview/journal.rs"]
mod journal;
#[path = "../../examples/preview/preview_backend.rs"]
mod preview_backend;
#[path = "../../examples/preview/preview_settings.rs"]
mod preview_settings;

mod checks;
mod forms;
mod hostile;
mod library;
mod live;
mod login;
mod pages;
mod settings;

use std::sync::Arc;

use axum::{
    Router,
    body::Body,
    http::{Request, Response, StatusCode, header},
};
use http_body_util::BodyExt;
use preview_backend::{FIRST, HOSTILE, LARGE, PreviewBackend, RUNNING, UNWRITTEN, id};
use probity_page::{PageLogin, PageName, router};
use tower::ServiceExt;

const PORT: u16 = 4321;

/// A browser that was let in.
struct Browser {
    app: Router,
    house: Arc<PreviewBackend>,
    door: Arc<PageLogin>,
    cookie: String,
}

impl Browser {
    async fn new() -> Self {
        let house = Arc::new(PreviewBackend::new());
        let door = Arc::new(PageLogin::new(PORT, PageName::Own).unwrap());
        let app = router(house.clone(), door.clone());
        let mut browser = Self { app, house, door, cookie: String::new() };
        let entry = browser.door.issue_token().unwrap();
        let opened = browser.ask(browser.get(&format!("/?token={entry}"))).await;
        assert_eq!(opened.status(), StatusCode::SEE_OTHER);
        let cookie = opened.headers()[header::SET_COOKIE].to_str().unwrap();
        browser.cookie = cookie.split(';').next().unwrap().to_owned();
        browser
    }

    fn get(&self, path: &str) -> Request<Body> {
        let request =
            Request::get(path).header(header::HOST, self.door.host()).header(header::COOKIE, &self.cookie);
        request.body(Body::empty()).unwrap()
    }

    fn post(&self, path: &str, form: &str) -> Request<Body> {
        Request::post(path)
            .header(header::HOST, self.door.host())
            .header(header::COOKIE, &self.cookie)
            .header(header::ORIGIN, format!("http://{}", self.door.host()))
            .header("sec-fetch-site", "same-origin")
            .header(header::CONTENT_TYPE, "application/x-www-form-urlencoded")
            .body(Body::from(form.to_owned()))
            .unwrap()
    }

    async fn ask(&self, request: Request<Body>) -> Response<Body> {
        self.app.clone().oneshot(request).await.unwrap()
    }

    async fn read(&self, path: &str) -> (StatusCode, String) {
        let response = self.ask(self.get(path)).await;
        (response.status(), text(response).await)
    }

    #[track_caller]
    fn told(&self) -> Vec<String> {
        self.house.done.lock().unwrap().clone()
    }
}

async fn text(response: Response<Body>) -> String {
    let bytes = response.into_body().collect().await.unwrap().to_bytes();
    String::from_utf8(bytes.to_vec()).unwrap()
}

/// Every page that is read, of every kind of research.
fn pages() -> Vec<String> {
    let mut pages: Vec<String> =
        ["/", "/?q=bridge&status=failed&page=2", "/?tag=bridges", "/trash", "/new", "/costs", "/settings"]
            .map(str::to_owned)
            .into();
    for number in [FIRST, LARGE, HOSTILE, RUNNING, UNWRITTEN] {
        let id = id(number);
        pages.push(format!("/research/{id}"));
        pages.push(format!("/research/{id}/trace"));
    }
    for number in [FIRST, LARGE, HOSTILE] {
        let id = id(number);
        pages.push(format!("/research/{id}/claims"));
        pages.push(format!("/research/{id}/claims?verdict=contradicted"));
        pages.push(format!("/research/{id}/claims/C1"));
        pages.push(format!("/research/{id}/remove"));
    }
    pages
}
