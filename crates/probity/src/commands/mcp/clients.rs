//! Which clients are meant, where their files are, and which command their entry starts.

use std::{
    ffi::OsStr,
    fs,
    path::{Path, PathBuf},
};

use probity_clients::{ClientDirectories, McpClient, ServerEntry};
use probity_research::Code;

use crate::{command_context::CommandContext, command_error::CommandError, environment};

/// Whose file is edited.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ConfigScope {
    User,
    Project,
}

impl ConfigScope {
    pub fn of(project: bool) -> Self {
        if project { Self::Project } else { Self::User }
    }
}

/// Parses what follows `--client`.
pub fn parse(text: &str) -> Result<McpClient, String> {
    let known: Vec<&str> = McpClient::ALL.iter().map(|client| client.id()).collect();
    McpClient::parse(text).ok_or_else(|| format!("expected one of {}", known.join(", ")))
}

/// The directories of this user.
pub fn client_directories(context: &CommandContext) -> Result<ClientDirectories, CommandError> {
    environment::client_directories(&context.environment).ok_or_else(|| {
        CommandError::new(Code::Settings, "there is no home directory where clients keep their settings")
            .with_hint("set HOME, then run `probity mcp install` again")
    })
}

/// Clients whose settings folder exists or whose program is on the search path.
pub fn installed(context: &CommandContext, places: &ClientDirectories) -> Vec<McpClient> {
    let path = context.environment.path();
    let is_there = |client: &McpClient| {
        places.install_markers(*client).iter().any(|sign| sign.exists())
            || client.programs().iter().any(|program| find_on_path(program, &path).is_some())
    };
    McpClient::ALL.into_iter().filter(is_there).collect()
}

/// The client's file: the first that exists, else the one that the client would create.
pub fn config_file(
    places: &ClientDirectories,
    client: McpClient,
    scope: ConfigScope,
) -> Result<PathBuf, CommandError> {
    let candidates = match scope {
        ConfigScope::User => places.user_files(client),
        ConfigScope::Project => match environment::working_directory() {
            Some(here) => ClientDirectories::project_files(client, &here),
            None => Vec::new(),
        },
    };
    let existing = candidates.iter().find(|path| fs::symlink_metadata(path).is_ok());
    existing.or(candidates.first()).cloned().ok_or_else(|| {
        let message = format!("{} reads no settings from projects", client.title());
        CommandError::new(Code::InvalidArguments, &message)
            .with_hint(format!("use `probity mcp install --client {}`", client.id()))
    })
}

/// The command of the entry: our name where the client finds it on its search path, else our full path.
pub fn server_entry(context: &CommandContext, client: McpClient) -> Result<ServerEntry, CommandError> {
    let lost = |error: &std::io::Error| {
        CommandError::new(Code::Settings, "this program does not know where it lies")
            .with_cause(error)
            .with_hint("start it by its whole path: `/path/to/probity mcp install`")
    };
    let own = environment::program().map_err(|error| lost(&error))?;
    let named = find_on_path("probity", &context.environment.path()).filter(|found| same_file(found, &own));
    let command = match named {
        Some(_) if client.has_search_path() => "probity".to_owned(),
        // As the search path names it: an update may change the target of a link.
        Some(found) => found.display().to_string(),
        None => own.display().to_string(),
    };
    let entry = ServerEntry::for_program(command);
    if !entry.is_ours() {
        // Later such an entry could not be told from another program's.
        let message = format!("{} is not called `probity`", own.display());
        return Err(CommandError::new(Code::Settings, &message)
            .with_hint("rename the file to `probity`, then run `probity mcp install` again"));
    }
    Ok(entry)
}

/// The first program of this name, as a shell would find it.
pub fn find_on_path(name: &str, path: &OsStr) -> Option<PathBuf> {
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

/// A path as people write it: the home directory as `~`.
pub fn display_path(places: &ClientDirectories, path: &Path) -> String {
    let text = match path.strip_prefix(&places.home) {
        Ok(below) => format!("~/{}", below.display()),
        Err(_) => path.display().to_string(),
    };
    probity_research::text::line(&text, 300)
}
