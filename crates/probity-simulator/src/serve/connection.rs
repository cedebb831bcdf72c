//! One connection: requests become calls, answers become responses, or the connection is cut.

use bytes::Bytes;
use http_body_util::{BodyExt as _, Limited};
use hyper::{Request, Response, body::Incoming, header::CONTENT_TYPE, service::service_fn};
use hyper_util::rt::TokioIo;
use tokio::net::TcpStream;

use super::{
    SimulatorHandle, admin,
    body::{ConnectionCutError, SimulatorBody},
};
use crate::{
    call::{CallMethod, SimulatorAnswer, SimulatorCall},
    world::route::WorldRoute,
};

/// The largest request body: a 50 MB document in base64.
const REQUEST_BYTES_MAX: usize = 72 * 1_024 * 1_024;
/// Headers the world and the small web read; the rest is not copied.
const HEADERS_READ: [&str; 13] = [
    "x-goog-api-key",
    "authorization",
    "host",
    "user-agent",
    "accept",
    "content-type",
    "if-none-match",
    "x-api-key",
    "anthropic-version",
    "x-subscription-token",
    "x-tavily-access-mode",
    "x-client-source",
    "x-github-api-version",
];

pub(super) async fn answer_all(stream: TcpStream, handle: SimulatorHandle) {
    let _counted = handle.0.stats.connection();
    let service = service_fn(move |request| answer(handle.clone(), request));
    // An error here is a client that disconnected, or a cut that was asked for; neither is logged.
    drop(
        hyper::server::conn::http1::Builder::new()
            .header_read_timeout(None)
            .serve_connection(TokioIo::new(stream), service)
            .await,
    );
}

async fn answer(
    handle: SimulatorHandle,
    request: Request<Incoming>,
) -> Result<Response<SimulatorBody>, ConnectionCutError> {
    let call = read(request).await?;
    if let Some(operation) = call.target.strip_prefix("/simulator/") {
        let (status, json) = admin::answer(&handle, &call, operation);
        let headers = vec![(CONTENT_TYPE.to_string(), "application/json".to_owned())];
        return respond(status, headers, SimulatorBody::whole(Bytes::from(json.to_string())));
    }
    let web = handle.with_web(|web, now_ms| web.answer(now_ms, &call));
    let web = web.or_else(|| handle.with_chat(|chat, now_ms| chat.answer(now_ms, &call)));
    let _counted =
        web.is_none().then(|| handle.0.stats.request(&WorldRoute::parse(call.method, &call.target)));
    let mut answer = web.unwrap_or_else(|| handle.with_world(|world, now_ms| world.handle(now_ms, &call)));
    drop(call);
    loop {
        match answer {
            SimulatorAnswer::Whole { status, headers, body } => {
                let body = if promises_more(&headers, &body) {
                    SimulatorBody::cut(body)
                } else {
                    SimulatorBody::whole(body)
                };
                return respond(status, headers, body);
            }
            SimulatorAnswer::Stream { headers, cursor } => {
                return respond(200, headers, SimulatorBody::stream(handle.clone(), cursor));
            }
            SimulatorAnswer::Endless { piece, pause } => {
                return respond(200, Vec::new(), SimulatorBody::endless(piece, pause));
            }
            SimulatorAnswer::Lost => return Err(ConnectionCutError),
            SimulatorAnswer::Hang => return std::future::pending().await,
            SimulatorAnswer::Later { at_ms, then } => {
                while handle.now_ms() < at_ms {
                    tokio::time::sleep(handle.0.clock.sleep_until(at_ms)).await;
                }
                answer = *then;
            }
        }
    }
}

/// Whether the headers announce more bytes than there are: the connection breaks in the middle.
fn promises_more(headers: &[(String, String)], body: &Bytes) -> bool {
    let length = headers.iter().find(|(name, _)| name == "content-length");
    length.and_then(|(_, length)| length.parse::<usize>().ok()).is_some_and(|length| length > body.len())
}

async fn read(request: Request<Incoming>) -> Result<SimulatorCall, ConnectionCutError> {
    let (parts, body) = request.into_parts();
    let method = match parts.method {
        hyper::Method::GET => CallMethod::Get,
        hyper::Method::HEAD => CallMethod::Head,
        hyper::Method::POST => CallMethod::Post,
        hyper::Method::DELETE => CallMethod::Delete,
        _ => CallMethod::Other,
    };
    let target = parts.uri.path_and_query().map_or("/", |target| target.as_str()).to_owned();
    let headers = HEADERS_READ
        .iter()
        .filter_map(|name| {
            let value = parts.headers.get(*name)?.to_str().ok()?;
            Some(((*name).to_owned(), value.to_owned()))
        })
        .collect();
    let body =
        Limited::new(body, REQUEST_BYTES_MAX).collect().await.map_err(|_| ConnectionCutError)?.to_bytes();
    Ok(SimulatorCall { method, target, headers, body })
}

fn respond(
    status: u16,
    headers: Vec<(String, String)>,
    body: SimulatorBody,
) -> Result<Response<SimulatorBody>, ConnectionCutError> {
    let mut response = Response::builder().status(status);
    for (name, value) in headers {
        response = response.header(name, value);
    }
    response.body(body).map_err(|_| ConnectionCutError)
}
