//! A disk in a file: made, mounted, copied as a power cut would leave it, and always unmounted.

use std::{
    path::{Path, PathBuf},
    thread,
    time::Duration,
};

use anyhow::{Context, bail};

use crate::rig;

/// Making or mounting a small image takes well under a second.
const TOOL_LIMIT: Duration = Duration::from_secs(60);
/// Looks for a moment in which the file system writes nothing; background writes come every few seconds.
const QUIET_TRIES_MAX: u32 = 50;
const QUIET_PAUSE: Duration = Duration::from_millis(20);

/// A mounted file system; dropping it unmounts, which also frees its loop device.
pub struct MountedImage {
    folder: PathBuf,
}

impl MountedImage {
    /// An ext4 image behind a loop device. Its own page cache is what a power cut loses; the image file
    /// is the disk.
    pub fn image(image: &Path, folder: &Path) -> anyhow::Result<Self> {
        Self::mount(&["-t", "ext4", "-o", "loop"], &image.display().to_string(), folder)
    }

    pub fn memory(options: &str, folder: &Path) -> anyhow::Result<Self> {
        Self::mount(&["-t", "tmpfs", "-o", options], "tmpfs", folder)
    }

    fn mount(options: &[&str], what: &str, folder: &Path) -> anyhow::Result<Self> {
        std::fs::create_dir_all(folder)?;
        let place = folder.display().to_string();
        tool("mount", &[options, &[what, &place]].concat())?;
        Ok(Self { folder: folder.to_owned() })
    }

    pub fn remount(&self, options: &str) -> anyhow::Result<()> {
        tool("mount", &["-o", &format!("remount,{options}"), &self.folder.display().to_string()])
    }

    /// The loop device that this file system lies on, such as `loop3`.
    fn device(&self) -> anyhow::Result<String> {
        let place = self.folder.display().to_string();
        let mounts = std::fs::read_to_string("/proc/self/mounts")?;
        let fields = mounts.lines().map(|line| line.split(' ').collect::<Vec<_>>());
        let mut device =
            fields.filter(|fields| fields.get(1) == Some(&place.as_str())).filter_map(|fields| {
                fields.first().and_then(|device| device.strip_prefix("/dev/")).map(str::to_owned)
            });
        device.next_back().with_context(|| format!("nothing is mounted at {place}"))
    }
}

impl Drop for MountedImage {
    fn drop(&mut self) {
        let place = self.folder.display().to_string();
        if tool("umount", &[&place]).is_err() {
            tool("umount", &["--lazy", &place]).ok();
        }
    }
}

pub fn make(image: &Path, mebibytes: u64) -> anyhow::Result<()> {
    let file = std::fs::File::create(image)?;
    file.set_len(mebibytes * 1024 * 1024)?;
    tool("mkfs.ext4", &["-q", "-F", &image.display().to_string()])
}

/// Copies what the disk holds at one moment, without asking the file system to write anything first.
/// A copy during which the device was written to would be a mix of two moments and is made again.
pub fn copy_as_it_is(mounted: &MountedImage, image: &Path, copy: &Path) -> anyhow::Result<()> {
    let statistics = PathBuf::from("/sys/block").join(mounted.device()?).join("stat");
    for _ in 0..QUIET_TRIES_MAX {
        let before = writes(&statistics)?;
        if before.under_way == 0 {
            tool("cp", &["--sparse=auto", &image.display().to_string(), &copy.display().to_string()])?;
            if writes(&statistics)? == before {
                return Ok(());
            }
        }
        thread::sleep(QUIET_PAUSE);
    }
    bail!("{} is never quiet", statistics.display())
}

#[derive(PartialEq, Eq)]
struct DiskWrites {
    done: u64,
    under_way: u64,
}

/// The fifth field counts writes that are done, the ninth what is under way.
fn writes(statistics: &Path) -> anyhow::Result<DiskWrites> {
    let text = std::fs::read_to_string(statistics)?;
    let fields: Vec<u64> = text.split_whitespace().filter_map(|field| field.parse().ok()).collect();
    match (fields.get(4), fields.get(8)) {
        (Some(done), Some(under_way)) => Ok(DiskWrites { done: *done, under_way: *under_way }),
        _ => bail!("{} has too few fields: {text}", statistics.display()),
    }
}

fn tool(name: &str, arguments: &[&str]) -> anyhow::Result<()> {
    let finished = rig::run(rig::command(name).args(arguments), TOOL_LIMIT)?;
    if !finished.status.success() {
        bail!("{name} {arguments:?}: {}", finished.stderr.trim());
    }
    Ok(())
}
