//! The thread that reads and renders whole reports, one after the other.
//!
//! A report of two megabytes with its claims takes ten megabytes while it is read. The allocator keeps what a thread has
//! freed for that thread: on a pool of threads every one of them would keep as much, here it is kept once. Reports take
//! milliseconds, and each client has at most one waiting.

use std::{
    panic::{AssertUnwindSafe, catch_unwind},
    sync::OnceLock,
    thread,
};

use tokio::sync::{
    mpsc::{Sender, channel},
    oneshot,
};

/// Clients beyond these wait for a place before their report waits for the thread.
const WAITING_MAX: usize = 64;

type RenderJob = Box<dyn FnOnce() + Send>;

/// Started with the first report that somebody reads.
#[derive(Debug, Default)]
pub(crate) struct RenderThread {
    jobs: OnceLock<Option<Sender<RenderJob>>>,
}

impl RenderThread {
    /// None if the work panicked, or the system has no thread to give.
    pub(crate) async fn run<T: Send + 'static>(
        &self,
        work: impl FnOnce() -> T + Send + 'static,
    ) -> Option<T> {
        let (done, answer) = oneshot::channel();
        let jobs = self.jobs.get_or_init(start).as_ref()?;
        jobs.send(Box::new(move || drop(done.send(work())))).await.ok()?;
        answer.await.ok()
    }
}

fn start() -> Option<Sender<RenderJob>> {
    let (jobs, mut waiting) = channel::<RenderJob>(WAITING_MAX);
    let work = move || {
        while let Some(job) = waiting.blocking_recv() {
            // A report that cannot be rendered takes nobody else's with it; its reader is told by the closed channel.
            let _panicked = catch_unwind(AssertUnwindSafe(job)).is_err();
        }
    };
    thread::Builder::new().name("render".to_owned()).spawn(work).ok().map(|_| jobs)
}

#[cfg(test)]
mod tests {
    use std::thread;

    use super::RenderThread;

    #[tokio::test]
    async fn all_work_is_done_by_one_thread_also_after_a_panic() {
        let renderer = RenderThread::default();
        let first = renderer.run(|| thread::current().id()).await;
        assert!(renderer.run(|| panic!("a report that cannot be rendered")).await.is_none());
        assert!(first.is_some() && first == renderer.run(|| thread::current().id()).await);
    }
}
