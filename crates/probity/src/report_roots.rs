//! The directories below which a client may have reports saved: where it works, the user's directory for reports, and
//! further ones of the settings. Relative folders lie below the first.

use std::{
    fs,
    path::{Path, PathBuf},
};

use rustix::fs::Access;

use crate::{environment, settings::Settings};

#[derive(Debug, Clone)]
pub struct ReportRoots {
    directory: PathBuf,
    /// The user named the directory: it goes before the place where a client works.
    is_named: bool,
    further: Vec<PathBuf>,
    /// Directories of our own in which no client works.
    own: Vec<PathBuf>,
}

impl ReportRoots {
    pub fn of(settings: &Settings) -> Self {
        let program = environment::program().ok().and_then(|program| program.parent().map(Path::to_owned));
        let own = [program, Some(settings.store_directory.clone())].into_iter().flatten();
        Self {
            directory: settings.reports_directory.clone(),
            is_named: settings.reports_directory_is_named,
            further: settings.reports_roots.clone(),
            own: own.map(|path| path.canonicalize().unwrap_or(path)).collect(),
        }
    }

    /// Best first. Touches the disk: what cannot be written is not among a client's directories.
    pub fn for_client(&self, works_in: &[PathBuf]) -> Vec<PathBuf> {
        let mut roots: Vec<PathBuf> = works_in.iter().filter_map(|path| self.workplace(path)).collect();
        roots.insert(if self.is_named { 0 } else { roots.len() }, self.directory.clone());
        roots.extend(self.further.iter().cloned());
        roots
    }

    /// The real path of a directory in which somebody works and files can be made.
    fn workplace(&self, path: &Path) -> Option<PathBuf> {
        let real = fs::canonicalize(path).ok()?;
        let writable = || rustix::fs::access(&real, Access::WRITE_OK | Access::EXEC_OK).is_ok();
        (real.is_dir() && is_workplace(&real, &self.own) && writable()).then_some(real)
    }
}

/// The root of the file system is where services start, and our own folders are where nobody looks.
fn is_workplace(real: &Path, own: &[PathBuf]) -> bool {
    real.parent().is_some() && !own.iter().any(|own| real.starts_with(own))
}

#[cfg(test)]
mod tests {
    use std::{
        fs,
        path::{Path, PathBuf},
    };

    use tempfile::TempDir;

    use super::{ReportRoots, is_workplace};

    #[test]
    fn nobody_works_in_the_root_or_in_our_own_folders() {
        let own = [PathBuf::from("/opt/probity"), PathBuf::from("/home/anna/.local/share/probity")];
        for (path, works) in [
            ("/", false),
            ("/opt/probity", false),
            ("/home/anna/.local/share/probity/reports", false),
            ("/home/anna", true),
            ("/opt/probity-notes", true),
        ] {
            assert_eq!(is_workplace(Path::new(path), &own), works, "{path}");
        }
    }

    #[test]
    fn the_first_root_is_where_the_client_works_unless_the_user_named_another() {
        let area = TempDir::new().unwrap();
        let real = area.path().canonicalize().unwrap();
        let (project, file) = (real.join("project"), real.join("file"));
        fs::create_dir(&project).unwrap();
        fs::write(&file, "").unwrap();
        let reports = real.join("reports");
        let roots = |is_named| ReportRoots {
            directory: reports.clone(),
            is_named,
            further: vec![real.join("further")],
            own: vec![real.join("own")],
        };
        let client = [real.join("gone"), file, PathBuf::from("/"), project.clone()];
        assert_eq!(
            roots(false).for_client(&client),
            [project.clone(), reports.clone(), real.join("further")]
        );
        assert_eq!(roots(true).for_client(&client), [reports.clone(), project, real.join("further")]);
        assert_eq!(roots(false).for_client(&[]), [reports.clone(), real.join("further")]);
    }
}
