//! Follows a run: reads its stream where one is open or can be opened, polls once otherwise.

use std::time::Duration;

use probity_research::{
    engine_call::{EngineOutcome, Poll, StreamState},
    state::RunState,
};
use tokio::time::{Instant, timeout};

use super::{
    DeepResearch,
    stream_pool::{OpenStream, StreamGuard},
    stream_progress::{StreamEventEffect, StreamProgress},
};
use crate::{
    gemini::client::StreamOpenReply,
    transport::{ResponseBody, Transport},
};

/// Longest read without an event: a driver must hear at times that the run is alive.
pub const LISTEN_MAX: Duration = Duration::from_secs(15);
/// After the first event, for what comes with it.
pub const SETTLE: Duration = Duration::from_secs(1);
/// So many reads in a row without one byte, and the stream counts as dead: a sleeping laptop's connections
/// do not say that they ended.
const SILENCES_MAX: u32 = 2;
/// Events taken in one read: a stream that never pauses must still let its driver append.
const PIECES_MAX: usize = 10_000;

/// How a read of the stream ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum ListenOutcome {
    News,
    Nothing,
    /// The stream says that the run has ended.
    Over,
    /// The stream has ended, for whatever reason; that says nothing of the run.
    Closed,
}

/// When to stop reading.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum ListenGoal {
    News,
    Closed,
}

impl<T: Transport> DeepResearch<T> {
    #[tracing::instrument(level = "debug", skip_all, fields(research = %research.id))]
    pub(super) async fn follow(
        &self,
        research: &RunState,
        remote_id: &str,
        cursor: Option<&str>,
        within: Duration,
    ) -> EngineOutcome {
        let until = deadline(within);
        let mut held = match self.streams.take(research.id, remote_id) {
            Some(held) => held,
            None => match self.open_stream(research, remote_id, cursor, within).await {
                Ok(held) => held,
                Err(StreamFallback::Poll) => {
                    let left = time_left(until);
                    return self.poll(research, remote_id, cursor.map(str::to_owned), None, left).await;
                }
                Err(StreamFallback::Outcome(finding)) => return *finding,
            },
        };
        let Some(stream) = held.stream() else {
            return self.poll(research, remote_id, cursor.map(str::to_owned), None, time_left(until)).await;
        };
        let heard = listen(stream, until).await;
        tracing::debug!(?heard, "stream read");
        if matches!(heard, ListenOutcome::News | ListenOutcome::Nothing) && stream.silences < SILENCES_MAX {
            let so_far = stream.watch.report_so_far();
            let progress = stream.watch.progress();
            return EngineOutcome::Running(Box::new(Poll {
                progress,
                cursor: stream.watch.cursor(),
                stream: StreamState::Open,
                so_far,
            }));
        }
        let watch = held.close();
        let cursor = watch.as_ref().and_then(StreamProgress::cursor).or(cursor.map(str::to_owned));
        self.poll(research, remote_id, cursor, watch, time_left(until)).await
    }

    async fn open_stream(
        &self,
        research: &RunState,
        remote_id: &str,
        cursor: Option<&str>,
        within: Duration,
    ) -> Result<StreamGuard<'_, T::Body>, StreamFallback> {
        let permit = self.streams.acquire_permit().ok_or(StreamFallback::Poll)?;
        match self.client.stream(remote_id, cursor, within / 2).await {
            StreamOpenReply::Stream(body, frames) => {
                let watch = match cursor {
                    Some(cursor) => StreamProgress::from_cursor(&research.progress, cursor.to_owned()),
                    None => StreamProgress::from_start(&research.progress, None),
                };
                Ok(self.streams.guard(research.id, remote_id, body, frames, watch, permit))
            }
            StreamOpenReply::NoStream => Err(StreamFallback::Poll),
            StreamOpenReply::Refused(refusal) => match refusal.problem.http_status {
                Some(403 | 404 | 429) => {
                    Err(StreamFallback::Outcome(Box::new(super::poll::refused_outcome(refusal))))
                }
                _ => Err(StreamFallback::Poll),
            },
            StreamOpenReply::Nothing(problem) => {
                tracing::debug!(code = %problem.code, "stream was not opened");
                Err(StreamFallback::Poll)
            }
        }
    }
}

/// Why there is no stream, and what follows.
enum StreamFallback {
    Poll,
    Outcome(Box<EngineOutcome>),
}

#[expect(clippy::disallowed_methods, reason = "a timer's deadline counts from the runtime's own now")]
fn deadline(within: Duration) -> Instant {
    Instant::now() + within
}

#[expect(clippy::disallowed_methods, reason = "a timer's deadline counts from the runtime's own now")]
fn time_left(until: Instant) -> Duration {
    until.saturating_duration_since(Instant::now())
}

/// Until there is an event and then a moment longer, or until the timeout.
async fn listen<B: ResponseBody>(stream: &mut OpenStream<B>, until: Instant) -> ListenOutcome {
    stream.silences = stream.silences.saturating_add(1);
    match timeout(time_left(until).min(LISTEN_MAX), read_events(stream, ListenGoal::News)).await {
        Err(_) => ListenOutcome::Nothing,
        Ok(ListenOutcome::News) => {
            timeout(time_left(until).min(SETTLE), read_events(stream, ListenGoal::Closed))
                .await
                .unwrap_or(ListenOutcome::News)
        }
        Ok(heard) => heard,
    }
}

async fn read_events<B: ResponseBody>(stream: &mut OpenStream<B>, until: ListenGoal) -> ListenOutcome {
    for _ in 0..PIECES_MAX {
        let mut news = false;
        loop {
            let frame = match stream.frames.next_frame() {
                Ok(Some(frame)) => frame,
                Ok(None) => break,
                Err(error) => {
                    tracing::warn!(%error, "stream dropped");
                    return ListenOutcome::Closed;
                }
            };
            match stream.watch.apply_frame(&frame) {
                StreamEventEffect::Over => return ListenOutcome::Over,
                StreamEventEffect::Broken => return ListenOutcome::Closed,
                StreamEventEffect::News => news = true,
                StreamEventEffect::Nothing => {}
            }
        }
        if news && until == ListenGoal::News {
            return ListenOutcome::News;
        }
        match stream.body.chunk().await {
            Ok(Some(piece)) => {
                stream.silences = 0;
                stream.frames.push(&piece);
            }
            Ok(None) | Err(_) => return read_last_frame(stream),
        }
    }
    ListenOutcome::News
}

/// A stream may end inside its last frame.
fn read_last_frame<B>(stream: &mut OpenStream<B>) -> ListenOutcome {
    match stream.frames.finish() {
        Ok(Some(frame)) if stream.watch.apply_frame(&frame) == StreamEventEffect::Over => ListenOutcome::Over,
        Ok(_) | Err(_) => ListenOutcome::Closed,
    }
}
