//! How busy the simulator is: requests and streams at once, totals per route.

use std::sync::{
    Arc,
    atomic::{AtomicU64, Ordering},
};

use crate::world::route::WorldRoute;

/// A gauge that remembers its highest value.
#[derive(Debug, Default)]
struct PeakGauge {
    current: AtomicU64,
    peak: AtomicU64,
}

/// Counts one thing for as long as it lives.
#[derive(Debug)]
pub(super) struct GaugeGuard(Arc<PeakGauge>);

impl PeakGauge {
    fn enter(self: &Arc<Self>) -> GaugeGuard {
        let now = self.current.fetch_add(1, Ordering::Relaxed) + 1;
        self.peak.fetch_max(now, Ordering::Relaxed);
        GaugeGuard(Arc::clone(self))
    }
}

impl Drop for GaugeGuard {
    fn drop(&mut self) {
        self.0.current.fetch_sub(1, Ordering::Relaxed);
    }
}

#[derive(Debug, Default)]
pub(super) struct LoadStats {
    short: Arc<PeakGauge>,
    streams: Arc<PeakGauge>,
    connections: Arc<PeakGauge>,
    creates: AtomicU64,
    gets: AtomicU64,
    resumes: AtomicU64,
    cancels: AtomicU64,
    deletes: AtomicU64,
    generates: AtomicU64,
    others: AtomicU64,
}

/// The figures at one moment.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct LoadStatsView {
    /// Requests being answered, streams not counted.
    pub short_current: u64,
    pub short_peak: u64,
    pub streams_current: u64,
    pub streams_peak: u64,
    pub connections_current: u64,
    pub connections_peak: u64,
    pub creates: u64,
    pub gets: u64,
    /// `get` with `stream=true`.
    pub resumes: u64,
    pub cancels: u64,
    pub deletes: u64,
    /// generateContent, streamed or not, sub-calls included.
    pub generates: u64,
    pub others: u64,
}

impl LoadStats {
    pub(super) fn connection(&self) -> GaugeGuard {
        self.connections.enter()
    }

    pub(super) fn stream(&self) -> GaugeGuard {
        self.streams.enter()
    }

    pub(super) fn request(&self, route: &WorldRoute) -> GaugeGuard {
        let total = match route {
            WorldRoute::Create => &self.creates,
            WorldRoute::Get { .. } => &self.gets,
            WorldRoute::Stream { .. } => &self.resumes,
            WorldRoute::Cancel { .. } => &self.cancels,
            WorldRoute::Delete { .. } => &self.deletes,
            WorldRoute::Generate { .. } => &self.generates,
            WorldRoute::Redirect { .. } | WorldRoute::Unknown => &self.others,
        };
        total.fetch_add(1, Ordering::Relaxed);
        self.short.enter()
    }

    pub(super) fn view(&self) -> LoadStatsView {
        let read = |number: &AtomicU64| number.load(Ordering::Relaxed);
        LoadStatsView {
            short_current: read(&self.short.current),
            short_peak: read(&self.short.peak),
            streams_current: read(&self.streams.current),
            streams_peak: read(&self.streams.peak),
            connections_current: read(&self.connections.current),
            connections_peak: read(&self.connections.peak),
            creates: read(&self.creates),
            gets: read(&self.gets),
            resumes: read(&self.resumes),
            cancels: read(&self.cancels),
            deletes: read(&self.deletes),
            generates: read(&self.generates),
            others: read(&self.others),
        }
    }

    /// Totals and peaks start over; what is open stays counted.
    pub(super) fn reset(&self) {
        for gauge in [&self.short, &self.streams, &self.connections] {
            gauge.peak.store(gauge.current.load(Ordering::Relaxed), Ordering::Relaxed);
        }
        for total in [
            &self.creates,
            &self.gets,
            &self.resumes,
            &self.cancels,
            &self.deletes,
            &self.generates,
            &self.others,
        ] {
            total.store(0, Ordering::Relaxed);
        }
    }
}
