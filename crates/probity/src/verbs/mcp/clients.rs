//! Which clients are meant, where their files are, and what their entry has to start.

use std::{
    ffi::OsStr,
    fs,
    path::{Path, PathBuf},
};

use probity_clients::{Client, Entry, Places};
use probity_research::Code;

use crate::{context::Context, environment, failure::Failure};

/// Whose file is edited.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Scope {
    User,
    Project,
}

impl Scope {
    pub fn of(project: bool) -> Self {
        if project { Self::Project } else { Self::User }
    }
}

/// Parses what follows `--client`.
pub fn parse(text: &str) -> Result<Client, String> {
    let known: Vec<&str> = Client::ALL.iter().map(|client| client.id()).collect();
    Client::parse(text).ok_or_else(|| format!("expected one of {}", known.join(", ")))
}

/// The directories of this user.
pub fn places(context: &Context) -> Result<Places, Failure> {
    environment::client_places(&context.environment).ok_or_else(|| {
        Failure::new(Code::Settings, "there is no home directory where clients keep their settings")
            .with_hint("set HOME, then run `probity mcp install` again")
    })
}

/// Clients that left a folder behind or whose program is on the search path.
pub fn installed(context: &Context, places: &Places) -> Vec<Client> {
    let path = context.environment.path();
    let is_there = |client: &Client| {
        places.signs(*client).iter().any(|sign| sign.exists())
            || client.programs().iter().any(|program| on_path(program, &path).is_some())
    };
    Client::ALL.into_iter().filter(is_there).collect()
}

/// The client's file: the first that exists, else the one it would make itself.
pub fn file(places: &Places, client: Client, scope: Scope) -> Result<PathBuf, Failure> {
    let candidates = match scope {
        Scope::User => places.user_files(client),
        Scope::Project => match environment::working_directory() {
            Some(here) => Places::project_files(client, &here),
            None => Vec::new(),
        },
    };
    let existing = candidates.iter().find(|path| fs::symlink_metadata(path).is_ok());
    existing.or(candidates.first()).cloned().ok_or_else(|| {
        let message = format!("{} reads no settings from projects", client.title());
        Failure::new(Code::InvalidArguments, &message)
            .with_hint(format!("use `probity mcp install --client {}`", client.id()))
    })
}

/// What the entry starts: our name where the client finds it under that name, else where we lie.
pub fn entry(context: &Context, client: Client) -> Result<Entry, Failure> {
    let lost = |error: &std::io::Error| {
        Failure::new(Code::Settings, "this program does not know where it lies")
            .because(error)
            .with_hint("start it by its whole path: `/path/to/probity mcp install`")
    };
    let own = environment::program().map_err(|error| lost(&error))?;
    let named = on_path("probity", &context.environment.path()).filter(|found| same_file(found, &own));
    let command = match named {
        Some(_) if client.has_search_path() => "probity".to_owned(),
        // As the search path names it: an update may change what lies behind a link.
        Some(found) => found.display().to_string(),
        None => own.display().to_string(),
    };
    let entry = Entry::serving(command);
    if !entry.is_ours() {
        // Later nobody could tell such an entry from somebody else's.
        let message = format!("{} is not called `probity`", own.display());
        return Err(Failure::new(Code::Settings, &message)
            .with_hint("rename the file to `probity`, then run `probity mcp install` again"));
    }
    Ok(entry)
}

/// The first program of this name, as a shell would find it.
pub fn on_path(name: &str, path: &OsStr) -> Option<PathBuf> {
    use std::os::unix::{ffi::OsStrExt as _, fs::PermissionsExt as _};
    let folders =
        path.as_bytes().split(|byte| *byte == b':').map(|folder| Path::new(OsStr::from_bytes(folder)));
    folders.filter(|folder| folder.is_absolute()).map(|folder| folder.join(name)).find(|file| {
        fs::metadata(file).is_ok_and(|found| found.is_file() && found.permissions().mode() & 0o111 != 0)
    })
}

pub fn same_file(left: &Path, right: &Path) -> bool {
    match (fs::canonicalize(left), fs::canonicalize(right)) {
        (Ok(left), Ok(right)) => left == right,
        _ => false,
    }
}

/// A path as people write it: their own folder as `~`.
pub fn shown(places: &Places, path: &Path) -> String {
    let text = match path.strip_prefix(&places.home) {
        Ok(below) => format!("~/{}", below.display()),
        Err(_) => path.display().to_string(),
    };
    probity_research::text::line(&text, 300)
}
