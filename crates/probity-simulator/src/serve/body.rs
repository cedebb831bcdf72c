//! Response bodies: a whole text, or a stream pulled from the world as its events become due.

use std::{
    collections::VecDeque,
    future::Future,
    pin::Pin,
    task::{Context, Poll, ready},
    time::Duration,
};

use bytes::Bytes;
use http_body_util::Full;
use hyper::body::{Frame, SizeHint};
use tokio::time::{Instant, Sleep};

use super::{SimulatorHandle, stats::GaugeGuard};
use crate::{call::StreamNext, world::StreamCursor};

/// Real time between the last frame and a cut: sent bytes must leave before the connection closes.
const CUT_PAUSE: Duration = Duration::from_millis(5);

/// The connection ends here, on purpose.
#[derive(Debug, thiserror::Error)]
#[error("the connection is cut on purpose")]
pub(super) struct ConnectionCutError;

pub(super) enum SimulatorBody {
    Whole(Full<Bytes>),
    Stream(Box<EventStream>),
    Endless {
        piece: Bytes,
        pause: Duration,
        sleep: Pin<Box<Sleep>>,
    },
    /// Part of what its length promises, then nothing more.
    Cut {
        piece: Option<Bytes>,
        sleep: Pin<Box<Sleep>>,
    },
}

/// One open stream.
pub(super) struct EventStream {
    handle: SimulatorHandle,
    cursor: StreamCursor,
    waiting: VecDeque<Bytes>,
    then: StreamNext,
    sleep: Pin<Box<Sleep>>,
    _counted: GaugeGuard,
}

impl SimulatorBody {
    pub(super) fn whole(body: Bytes) -> Self {
        Self::Whole(Full::new(body))
    }

    /// The first bytes of an answer whose headers promise more.
    pub(super) fn cut(piece: Bytes) -> Self {
        Self::Cut { piece: Some(piece), sleep: Box::pin(tokio::time::sleep(CUT_PAUSE)) }
    }

    /// The same piece for ever.
    pub(super) fn endless(piece: Bytes, pause: Duration) -> Self {
        Self::Endless { piece, pause, sleep: Box::pin(tokio::time::sleep(Duration::ZERO)) }
    }

    pub(super) fn stream(handle: SimulatorHandle, cursor: StreamCursor) -> Self {
        let counted = handle.0.stats.stream();
        let sleep = Box::pin(tokio::time::sleep(Duration::ZERO));
        let then = StreamNext::WaitUntil(0);
        Self::Stream(Box::new(EventStream {
            handle,
            cursor,
            waiting: VecDeque::new(),
            then,
            sleep,
            _counted: counted,
        }))
    }
}

impl EventStream {
    fn poll_next(
        &mut self,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, ConnectionCutError>>> {
        loop {
            if let Some(frame) = self.waiting.pop_front() {
                return Poll::Ready(Some(Ok(Frame::data(frame))));
            }
            match self.then {
                StreamNext::Closed => return Poll::Ready(None),
                StreamNext::Cut => {
                    ready!(self.sleep.as_mut().poll(context));
                    return Poll::Ready(Some(Err(ConnectionCutError)));
                }
                StreamNext::WaitUntil(_) => ready!(self.sleep.as_mut().poll(context)),
            }
            let cursor = &mut self.cursor;
            let pulled = self.handle.with_world(|world, now_ms| world.pull(now_ms, cursor));
            self.waiting.extend(pulled.frames);
            self.then = pulled.then;
            let wait = match pulled.then {
                StreamNext::WaitUntil(at_ms) => self.handle.0.clock.sleep_until(at_ms),
                StreamNext::Cut | StreamNext::Closed => CUT_PAUSE,
            };
            self.sleep.as_mut().reset(now() + wait);
        }
    }
}

#[expect(clippy::disallowed_methods, reason = "a timer's deadline counts from the runtime's own now")]
fn now() -> Instant {
    Instant::now()
}

impl hyper::body::Body for SimulatorBody {
    type Data = Bytes;
    type Error = ConnectionCutError;

    fn poll_frame(
        self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, Self::Error>>> {
        match self.get_mut() {
            Self::Whole(body) => Pin::new(body).poll_frame(context).map_err(|never| match never {}),
            Self::Stream(events) => events.poll_next(context),
            Self::Endless { piece, pause, sleep } => {
                ready!(sleep.as_mut().poll(context));
                sleep.as_mut().reset(now() + *pause);
                Poll::Ready(Some(Ok(Frame::data(piece.clone()))))
            }
            Self::Cut { piece, sleep } => {
                if let Some(piece) = piece.take().filter(|piece| !piece.is_empty()) {
                    return Poll::Ready(Some(Ok(Frame::data(piece))));
                }
                ready!(sleep.as_mut().poll(context));
                Poll::Ready(Some(Err(ConnectionCutError)))
            }
        }
    }

    fn is_end_stream(&self) -> bool {
        match self {
            Self::Whole(body) => body.is_end_stream(),
            Self::Stream(_) | Self::Endless { .. } | Self::Cut { .. } => false,
        }
    }

    fn size_hint(&self) -> SizeHint {
        match self {
            Self::Whole(body) => body.size_hint(),
            Self::Stream(_) | Self::Endless { .. } | Self::Cut { .. } => SizeHint::default(),
        }
    }
}
