//! Starts of one tenant wait for a permit before they take a connection, so that a flood of one tenant does
//! not use all connections of a process while others wait for one.

use std::{
    collections::HashMap,
    fmt,
    sync::{Arc, Mutex, PoisonError},
    time::Duration,
};

use probity_research::error::{Code, CodedError};
use tokio::sync::{OwnedSemaphorePermit, Semaphore};

/// Starts of one tenant at once: half of the usual connections, so that the other half is left for other
/// tenants.
const AT_ONCE_MAX: usize = 8;
/// A start that has waited this long is told to retry: its client will not wait much longer.
const WAIT_MAX: Duration = Duration::from_secs(5);
/// With this many tenants in the map, those without a start under way are removed.
const TENANTS_MAX: usize = 1_024;

#[derive(Default)]
pub(super) struct TenantSemaphores(Mutex<HashMap<String, Arc<Semaphore>>>);

impl TenantSemaphores {
    /// Waits for a permit of this tenant; dropping the permit returns it.
    pub async fn take(&self, tenant: &str) -> Result<OwnedSemaphorePermit, CodedError> {
        let turns = self.of(tenant);
        match tokio::time::timeout(WAIT_MAX, turns.acquire_owned()).await {
            Ok(Ok(turn)) => Ok(turn),
            Ok(Err(_)) | Err(_) => {
                let message = format!("too many starts at once: no turn within {} s", WAIT_MAX.as_secs());
                Err(CodedError::new(Code::RateLimited, &message).with_retry_after(Some(WAIT_MAX)))
            }
        }
    }

    fn of(&self, tenant: &str) -> Arc<Semaphore> {
        let mut known = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if known.len() >= TENANTS_MAX {
            // A start that has a permit or waits for one has a second reference.
            known.retain(|_, turns| Arc::strong_count(turns) > 1);
        }
        Arc::clone(known.entry(tenant.to_owned()).or_insert_with(|| Arc::new(Semaphore::new(AT_ONCE_MAX))))
    }
}

impl fmt::Debug for TenantSemaphores {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str("Turns")
    }
}

#[cfg(test)]
mod tests {
    use super::{AT_ONCE_MAX, Duration, TENANTS_MAX, TenantSemaphores};

    #[tokio::test]
    async fn a_flood_of_one_does_not_delay_another() {
        let turns = TenantSemaphores::default();
        let mut taken = Vec::new();
        for _ in 0..AT_ONCE_MAX {
            taken.push(turns.take("anna").await.unwrap());
        }
        let third = tokio::time::timeout(Duration::from_millis(20), turns.take("anna")).await;
        assert!(third.is_err(), "it waits");
        drop(turns.take("ben").await.unwrap());
        taken.pop();
        drop(turns.take("anna").await.unwrap());
    }

    #[tokio::test]
    async fn who_has_nothing_under_way_is_forgotten() {
        let turns = TenantSemaphores::default();
        let held = turns.take("anna").await.unwrap();
        for number in 0..TENANTS_MAX * 2 {
            drop(turns.take(&number.to_string()).await.unwrap());
        }
        let known = turns.0.lock().unwrap();
        assert!(known.len() <= TENANTS_MAX && known.contains_key("anna"));
        drop(held);
    }
}
