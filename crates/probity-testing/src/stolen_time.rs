//! Measurements of seconds on a machine whose host lends its processors to others: while it does, a time says nothing
//! about the program.

use std::{
    fs,
    panic::{AssertUnwindSafe, catch_unwind, resume_unwind},
};

/// Above this share of the processors' work taken by the host, a time that is too long is not the program's.
const STOLEN_SHARE_MAX: f64 = 0.1;
/// How often something is measured before it is called not measured.
const TRIES: u32 = 3;

/// Measures, and fails as the measurement fails. Where the host took the processors away meanwhile it is measured again,
/// and in the end named as not measured: `key` is that of its figure.
#[expect(clippy::print_stderr, reason = "figures are read from what tests print")]
pub fn measured_seconds(key: &str, measure: impl Fn()) {
    let mut stolen = 0.0;
    for _ in 0..TRIES {
        let before = processor_ticks();
        let Err(failure) = catch_unwind(AssertUnwindSafe(&measure)) else { return };
        stolen = stolen_share(before, processor_ticks());
        if stolen < STOLEN_SHARE_MAX {
            resume_unwind(failure);
        }
    }
    let percent = stolen * 100.0;
    eprintln!(
        "figure: {key} skipped: the host took {percent:.0} % of the processors away while it was measured"
    );
}

/// Ticks of work, and of work that the host did not let happen, since the machine started; zeros where nobody counts.
fn processor_ticks() -> (f64, f64) {
    let counts = fs::read_to_string("/proc/stat").unwrap_or_default();
    let all = counts.lines().next().unwrap_or_default().split_whitespace().skip(1);
    let ticks: Vec<f64> = all.map(|number| number.parse().unwrap_or(0.0)).collect();
    // user, nice, system, idle, iowait, irq, softirq, steal
    let at = |place: usize| ticks.get(place).copied().unwrap_or(0.0);
    (at(0) + at(1) + at(2) + at(5) + at(6), at(7))
}

fn stolen_share(before: (f64, f64), after: (f64, f64)) -> f64 {
    let (work, stolen) = (after.0 - before.0, after.1 - before.1);
    if work + stolen > 0.0 { stolen / (work + stolen) } else { 0.0 }
}

#[cfg(test)]
mod tests {
    use super::{measured_seconds, stolen_share};

    #[test]
    fn a_failure_on_a_machine_of_its_own_stays_one() {
        assert!((stolen_share((0.0, 0.0), (60.0, 20.0)) - 0.25).abs() < 1e-9);
        assert!(stolen_share((5.0, 5.0), (5.0, 5.0)).abs() < 1e-9);
        measured_seconds("a.key", || {});
    }
}
