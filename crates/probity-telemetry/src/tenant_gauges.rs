//! Gauges per tenant, for a bounded number of tenants.

use std::collections::{BTreeMap, BTreeSet};

use metrics::gauge;

use crate::metric_names;

/// Tenants with a series of their own. Each has two series in every front end; a hundred make a dashboard that
/// can still be read, and the scrape stays small.
pub const TENANTS_NAMED_MAX: usize = 100;
/// All other tenants together. A tenant of this name cannot be told apart from them.
pub const OTHER: &str = "other";
/// The operator's own runs, which belong to no tenant.
pub const OPERATOR: &str = "operator";

/// How much one tenant has in the fleet.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct TenantLoad {
    pub in_flight: u32,
    pub waiting: u32,
}

impl TenantLoad {
    fn total(self) -> u64 {
        u64::from(self.in_flight) + u64::from(self.waiting)
    }

    fn add(&mut self, more: Self) {
        self.in_flight = self.in_flight.saturating_add(more.in_flight);
        self.waiting = self.waiting.saturating_add(more.waiting);
    }
}

/// Remembers which tenants have a series: a name given once stays, or the series would grow without end.
#[derive(Debug, Default)]
pub struct TenantGauges {
    named: BTreeSet<String>,
}

impl TenantGauges {
    /// Sets all gauges from one read of the database. A tenant that is not listed has nothing. `None` is the
    /// operator.
    pub fn set(&mut self, loads: &[(Option<&str>, TenantLoad)]) {
        for (name, load) in self.grouped(loads) {
            gauge!(metric_names::RESEARCHES_IN_FLIGHT.name, "tenant" => name.clone())
                .set(f64::from(load.in_flight));
            gauge!(metric_names::RESEARCHES_WAITING.name, "tenant" => name).set(f64::from(load.waiting));
        }
    }

    /// The tenants with the most runs get a name first, as long as there are names.
    fn grouped(&mut self, loads: &[(Option<&str>, TenantLoad)]) -> BTreeMap<String, TenantLoad> {
        let mut sorted: Vec<(&str, TenantLoad)> =
            loads.iter().map(|(name, load)| (name.unwrap_or(OPERATOR), *load)).collect();
        sorted.sort_by(|left, right| right.1.total().cmp(&left.1.total()).then(left.0.cmp(right.0)));
        let mut grouped: BTreeMap<String, TenantLoad> =
            self.named.iter().map(|name| (name.clone(), TenantLoad::default())).collect();
        grouped.insert(OTHER.to_owned(), TenantLoad::default());
        for (name, load) in sorted {
            if load.total() > 0 && name != OTHER && self.named.len() < TENANTS_NAMED_MAX {
                self.named.insert(name.to_owned());
            }
            let series = if self.named.contains(name) { name } else { OTHER };
            grouped.entry(series.to_owned()).or_default().add(load);
        }
        grouped
    }
}

#[cfg(test)]
mod tests {
    use super::{OPERATOR, OTHER, TENANTS_NAMED_MAX, TenantGauges, TenantLoad};

    fn load(in_flight: u32, waiting: u32) -> TenantLoad {
        TenantLoad { in_flight, waiting }
    }

    #[test]
    fn the_largest_are_named_and_nobody_is_lost() {
        let names: Vec<String> = (0..TENANTS_NAMED_MAX + 50).map(|index| format!("tenant-{index}")).collect();
        let mut loads: Vec<(Option<&str>, TenantLoad)> =
            names.iter().map(|name| (Some(name.as_str()), load(1, 0))).collect();
        loads.push((Some("large"), load(7, 10_000)));
        loads.push((None, load(2, 0)));
        let mut gauges = TenantGauges::default();
        let grouped = gauges.grouped(&loads);
        assert_eq!(grouped.len(), TENANTS_NAMED_MAX + 1);
        assert_eq!(grouped.get("large"), Some(&load(7, 10_000)));
        assert_eq!(grouped.get(OPERATOR), Some(&load(2, 0)));
        assert_eq!(grouped.get(OTHER), Some(&load(52, 0)));
        assert_eq!(grouped.values().map(|load| load.in_flight).sum::<u32>(), 159);
    }

    #[test]
    fn who_has_nothing_any_more_is_set_to_nothing_and_keeps_its_series() {
        let mut gauges = TenantGauges::default();
        gauges.grouped(&[(Some("anna"), load(3, 4))]);
        let grouped = gauges.grouped(&[(Some("ben"), load(1, 1))]);
        assert_eq!(grouped.get("anna"), Some(&load(0, 0)));
        assert_eq!(grouped.get("ben"), Some(&load(1, 1)));
    }

    #[test]
    fn a_tenant_called_other_is_counted_with_the_others() {
        let grouped = TenantGauges::default().grouped(&[(Some(OTHER), load(1, 2))]);
        assert_eq!(grouped.get(OTHER), Some(&load(1, 2)));
    }
}
