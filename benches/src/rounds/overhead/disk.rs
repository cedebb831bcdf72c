//! What the disk itself takes for one record that must survive a power cut: the floor under every round.

use std::{fs::File, io::Write as _, path::Path, time::Duration};

use crate::rig;

/// About one event with its summary.
const RECORD: [u8; 4_096] = [7; 4_096];
const RECORDS: u32 = 200;

/// The mean time of an append that is on disk when it returns. The mean, because a busy disk is slow in bursts.
pub fn synced_append(directory: &Path) -> anyhow::Result<Duration> {
    let path = directory.join("appended");
    let mut file = File::create(&path)?;
    let (written, took) = rig::timed(|| -> std::io::Result<()> {
        for _ in 0..RECORDS {
            file.write_all(&RECORD)?;
            file.sync_data()?;
        }
        Ok(())
    });
    written?;
    std::fs::remove_file(path)?;
    Ok(took / RECORDS)
}
