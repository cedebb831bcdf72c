//! Reading a stream chunk by chunk: what is due, what was sent, where it breaks.

use bytes::Bytes;

use super::{
    World,
    events::{self, EventFraming, StreamEvent},
    interaction::Interaction,
    step::WorkStep,
};
use crate::{
    call::{StreamNext, StreamPull},
    scenario::{Name, StreamEnding},
};

/// The service drops streams after about ten minutes.
const STREAM_LIFE_MS: u64 = 600_000;

/// One open stream. Opaque: only `World::pull` reads it.
#[derive(Debug, Clone)]
pub struct StreamCursor {
    position: usize,
    group: EventGroup,
    /// The number of the next event, counted from one over the whole interaction.
    next_event: u32,
    /// Events up to this one were given on an earlier connection.
    after: u32,
    /// Events given on this connection.
    sent: u32,
    opened_ms: u64,
    /// Cut the connection after this many events.
    cut_after: Option<u32>,
    trouble: StreamTrouble,
    ended: Option<StreamNext>,
}

/// Events that become due together.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum EventGroup {
    Opening,
    Begun,
    Step(usize),
    Closing,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum StreamTrouble {
    None,
    /// An error event instead of the second half.
    ErrorEvent,
}

impl StreamCursor {
    /// A new connection, resuming after an event number (zero: from the start).
    pub(crate) fn open(position: usize, interaction: &mut Interaction, now_ms: u64, after: u32) -> Self {
        let scenario = interaction.scenario;
        let disturbed = interaction.streams < scenario.times;
        interaction.streams = interaction.streams.saturating_add(1);
        let cut_after = (scenario.name == Name::DropAfter && disturbed).then_some(scenario.events);
        let trouble = if scenario.name == Name::StreamError && disturbed {
            StreamTrouble::ErrorEvent
        } else {
            StreamTrouble::None
        };
        Self {
            position,
            group: EventGroup::Opening,
            next_event: 1,
            after,
            sent: 0,
            opened_ms: now_ms,
            cut_after,
            trouble,
            ended: None,
        }
    }

    pub(crate) fn cut_after(&mut self, events: u32) {
        self.cut_after = Some(events);
    }

    /// Which interaction it belongs to: its place in the ledger.
    pub fn position(&self) -> usize {
        self.position
    }
}

pub(super) fn pull(world: &mut World, now_ms: u64, cursor: &mut StreamCursor) -> StreamPull {
    let mut frames = Vec::new();
    let then = match (cursor.ended, world.interactions.get(cursor.position)) {
        (Some(ended), _) => ended,
        (None, None) => StreamNext::Cut,
        (None, Some(interaction)) => {
            let reader = StreamReader::new(interaction, world.settings.epoch_seconds, now_ms);
            reader.read(cursor, &mut frames)
        }
    };
    if !matches!(then, StreamNext::WaitUntil(_)) {
        cursor.ended = Some(then);
    }
    StreamPull { frames, then }
}

/// One interaction at one moment, seen as a stream.
struct StreamReader<'world> {
    interaction: &'world Interaction,
    epoch_seconds: i64,
    now_ms: u64,
    steps: Vec<WorkStep>,
    /// Steps that will ever be streamed; fewer than all after a cancel.
    available: usize,
}

impl<'world> StreamReader<'world> {
    fn new(interaction: &'world Interaction, epoch_seconds: i64, now_ms: u64) -> Self {
        let mut steps = interaction.steps();
        if interaction.scenario.name == Name::StreamOnlyFinal {
            steps.retain(|step| step.is_output());
        }
        let available = match interaction.cancelled_ms {
            Some(cancelled) => (0..steps.len())
                .take_while(|index| interaction.step_due_ms(*index, steps.len()) <= cancelled)
                .count(),
            None => steps.len(),
        };
        Self { interaction, epoch_seconds, now_ms, steps, available }
    }

    fn read(&self, cursor: &mut StreamCursor, frames: &mut Vec<Bytes>) -> StreamNext {
        let life_ends_ms = cursor.opened_ms.saturating_add(STREAM_LIFE_MS);
        loop {
            let group = self.reached(cursor.group);
            let due_ms = self.due_ms(group);
            if due_ms > self.now_ms {
                let cut = self.now_ms >= life_ends_ms;
                return if cut { StreamNext::Cut } else { StreamNext::WaitUntil(due_ms.min(life_ends_ms)) };
            }
            if self.breaks_at(group, cursor) {
                frames
                    .push(events::error().frame(cursor.next_event.saturating_sub(1), self.framing("_error")));
                frames.push(Bytes::from_static(events::DONE));
                return StreamNext::Closed;
            }
            if self.is_crlf() && matches!(group, EventGroup::Step(_)) {
                frames.push(Bytes::from_static(events::KEEP_ALIVE));
            }
            for event in self.events(group) {
                if self.give(&event, cursor, frames) {
                    return match self.interaction.scenario.ending {
                        StreamEnding::Cut => StreamNext::Cut,
                        StreamEnding::Clean => StreamNext::Closed,
                    };
                }
            }
            match self.next(group) {
                Some(next) => cursor.group = next,
                None => {
                    if !self.is_crlf() {
                        frames.push(Bytes::from_static(events::DONE));
                    }
                    return StreamNext::Closed;
                }
            }
        }
    }

    /// Gives one event unless it was given before; says whether the connection is cut after it.
    fn give(&self, event: &StreamEvent, cursor: &mut StreamCursor, frames: &mut Vec<Bytes>) -> bool {
        let number = cursor.next_event;
        cursor.next_event += 1;
        if number <= cursor.after {
            return false;
        }
        frames.push(event.frame(number, self.framing("")));
        cursor.sent += 1;
        cursor.cut_after.is_some_and(|limit| cursor.sent >= limit)
    }

    /// The group a cursor is really at: past the last step that will ever come is the end.
    fn reached(&self, group: EventGroup) -> EventGroup {
        match group {
            EventGroup::Step(index) if index >= self.available => EventGroup::Closing,
            EventGroup::Begun
                if self.interaction.cancelled_ms.is_some_and(|at| at < self.interaction.begins_ms()) =>
            {
                EventGroup::Closing
            }
            other => other,
        }
    }

    fn next(&self, group: EventGroup) -> Option<EventGroup> {
        match group {
            EventGroup::Opening if self.interaction.scenario.name == Name::Queued => Some(EventGroup::Begun),
            EventGroup::Opening | EventGroup::Begun => Some(EventGroup::Step(0)),
            EventGroup::Step(index) => Some(EventGroup::Step(index + 1)),
            EventGroup::Closing => None,
        }
    }

    fn due_ms(&self, group: EventGroup) -> u64 {
        match group {
            EventGroup::Opening => self.interaction.created_ms,
            EventGroup::Begun => self.interaction.begins_ms(),
            EventGroup::Step(_) if self.interaction.scenario.name == Name::StreamOnlyFinal => {
                self.interaction.shown_end_ms()
            }
            EventGroup::Step(index) => self.interaction.step_due_ms(index, self.steps.len()),
            EventGroup::Closing => self.interaction.shown_end_ms(),
        }
    }

    fn events(&self, group: EventGroup) -> Vec<StreamEvent> {
        match group {
            EventGroup::Opening => events::opening(self.interaction, self.epoch_seconds),
            EventGroup::Begun => events::begun(self.interaction),
            EventGroup::Step(index) => self
                .steps
                .get(index)
                .map(|step| events::of_step(self.interaction, index, *step))
                .unwrap_or_default(),
            EventGroup::Closing => events::closing(self.interaction, self.epoch_seconds, self.now_ms),
        }
    }

    fn breaks_at(&self, group: EventGroup, cursor: &StreamCursor) -> bool {
        let half = self.steps.len() / 2;
        cursor.trouble == StreamTrouble::ErrorEvent
            && matches!(group, EventGroup::Step(index) if index >= half)
    }

    fn is_crlf(&self) -> bool {
        self.interaction.scenario.name == Name::Crlf
    }

    fn framing(&self, id_suffix: &'static str) -> EventFraming {
        EventFraming {
            newline: if self.is_crlf() { "\r\n" } else { "\n" },
            id_suffix: (self.interaction.scenario.name != Name::NoEventId).then_some(id_suffix),
        }
    }
}
