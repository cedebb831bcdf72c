//! Works off a list of trials with a few threads. The first error ends the list.

use std::{
    path::Path,
    sync::{
        Mutex, PoisonError,
        atomic::{AtomicUsize, Ordering},
    },
    thread,
};

use crate::output;

/// A word about how far it is, every so many trials.
const TELL_EVERY: usize = 25;

/// What every trial told, in the order in which they ended. Each gets a folder of its own, which is removed.
pub fn run_in_parallel<P: Sync, T: Send>(
    what: &str,
    threads: usize,
    plan: &[P],
    folder: &Path,
    trial: impl Fn(&P, &Path) -> anyhow::Result<T> + Sync,
) -> anyhow::Result<Vec<T>> {
    let next = AtomicUsize::new(0);
    let told = Mutex::new(Ok(Vec::with_capacity(plan.len())));
    let work = || {
        loop {
            let index = next.fetch_add(1, Ordering::Relaxed);
            let Some(planned) = plan.get(index) else { return };
            if index.is_multiple_of(TELL_EVERY) {
                output::progress(&format!("{what} {index} of {}", plan.len()));
            }
            let place = folder.join(format!("trial-{index}"));
            let outcome = trial(planned, &place);
            std::fs::remove_dir_all(&place).ok();
            let mut told = told.lock().unwrap_or_else(PoisonError::into_inner);
            match (told.as_mut(), outcome) {
                (Ok(told), Ok(outcome)) => told.push(outcome),
                (Ok(_), Err(error)) => *told = Err(error),
                (Err(_), _) => return,
            }
        }
    };
    thread::scope(|scope| {
        for _ in 0..threads {
            scope.spawn(work);
        }
    });
    told.into_inner().unwrap_or_else(PoisonError::into_inner)
}
