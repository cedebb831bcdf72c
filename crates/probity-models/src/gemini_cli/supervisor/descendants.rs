//! Everything below this process, however deep, and whatever group or session it moved to.

use std::{collections::BTreeMap, fs};

use rustix::process::{Pid, Signal, getpid, kill_process};

/// Sends a signal to every process below this one.
pub fn signal_all(signal: Signal) {
    for process in below(getpid().as_raw_nonzero().get(), &parents()) {
        if let Some(process) = Pid::from_raw(process) {
            // It may have ended since it was seen.
            kill_process(process, signal).ok();
        }
    }
}

/// Which process has which parent. Those that end meanwhile are skipped.
fn parents() -> BTreeMap<i32, i32> {
    let entries = fs::read_dir("/proc").into_iter().flatten().flatten();
    let ids = entries.filter_map(|entry| entry.file_name().to_str()?.parse::<i32>().ok());
    ids.filter_map(|id| Some((id, parent_in(&fs::read_to_string(format!("/proc/{id}/stat")).ok()?)?)))
        .collect()
}

/// The fourth field; the second is a name in brackets that may contain anything, also brackets.
fn parent_in(stat: &str) -> Option<i32> {
    let (_, rest) = stat.rsplit_once(')')?;
    rest.split_whitespace().nth(1)?.parse().ok()
}

fn below(root: i32, parents: &BTreeMap<i32, i32>) -> Vec<i32> {
    let mut found = vec![root];
    let mut at = 0;
    while let Some(parent) = found.get(at).copied() {
        at += 1;
        let children = parents.iter().filter(|(_, of)| **of == parent).map(|(id, _)| *id);
        let new: Vec<i32> = children.filter(|id| !found.contains(id)).collect();
        found.extend(new);
    }
    found.into_iter().skip(1).collect()
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use super::{below, parent_in};

    #[test]
    fn a_name_with_brackets_does_not_hide_the_parent() {
        assert_eq!(parent_in("12 (a) 1 (x)) S 7 12 12 0"), Some(7));
        assert_eq!(parent_in("12 (node) R 1"), Some(1));
        assert_eq!(parent_in(""), None);
    }

    #[test]
    fn children_of_children_are_below_and_strangers_are_not() {
        let parents = BTreeMap::from([(2, 1), (3, 2), (4, 3), (5, 1), (6, 5)]);
        assert_eq!(below(2, &parents), [3, 4]);
        assert_eq!(below(1, &parents), [2, 5, 3, 6, 4]);
    }
}
