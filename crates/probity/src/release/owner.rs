//! Who installed this program, told from where it lies: what a package manager put there it must also replace. Pure.

use std::path::{Component, Path};

/// What put the program where it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ProgramOwner {
    /// A file of the user's own, put there by the installer or by hand.
    User,
    Npm,
    Python,
    Homebrew,
    Nix,
    System,
    Cargo,
    /// A folder that cargo builds into.
    Build,
}

impl ProgramOwner {
    pub fn of(program: &Path) -> Self {
        let parts: Vec<&str> = program
            .components()
            .filter_map(|part| match part {
                Component::Normal(name) => name.to_str(),
                _ => None,
            })
            .collect();
        let has = |name: &str| parts.contains(&name);
        let follows = |first: &str, second: &str| parts.windows(2).any(|pair| pair == [first, second]);
        if has("node_modules") {
            Self::Npm
        } else if has("site-packages")
            || has("dist-packages")
            || follows("uv", "tools")
            || is_in_venv(program)
        {
            Self::Python
        } else if has("Cellar") || has("linuxbrew") || has("homebrew") {
            Self::Homebrew
        } else if program.starts_with("/nix/store") {
            Self::Nix
        } else if ["/usr/bin", "/usr/sbin", "/usr/lib", "/bin", "/opt"]
            .iter()
            .any(|top| program.starts_with(top))
        {
            Self::System
        } else if follows(".cargo", "bin") {
            Self::Cargo
        } else if has("target") && (has("debug") || has("release") || has("dist")) {
            Self::Build
        } else {
            Self::User
        }
    }

    /// Who it is, and what to type for a newer program and for none; `None` for a file of the user's own.
    pub fn commands(self) -> Option<OwnerCommands> {
        let (owner, update, remove) = match self {
            Self::User => return None,
            Self::Npm => ("npm", "npm update -g probity-research", "npm uninstall -g probity-research"),
            Self::Python => (
                "a Python package manager",
                "uv tool upgrade probity-research` or `pip install --upgrade probity-research",
                "uv tool uninstall probity-research` or `pip uninstall probity-research",
            ),
            Self::Homebrew => ("Homebrew", "brew upgrade probity", "brew uninstall probity"),
            Self::Nix => ("Nix", "nix profile upgrade probity", "nix profile remove probity"),
            Self::System => (
                "the system's package manager",
                "apt upgrade probity` or what your system has for it",
                "apt remove probity` or what your system has for it",
            ),
            Self::Cargo => {
                ("cargo", "cargo install --locked --path crates/probity", "cargo uninstall probity")
            }
            Self::Build => {
                ("whoever builds it from source", "git pull && cargo build --release", "cargo clean")
            }
        };
        Some(OwnerCommands { owner, update, remove })
    }
}

/// A virtual environment has its settings beside the folder of its programs.
fn is_in_venv(program: &Path) -> bool {
    program.parent().and_then(Path::parent).is_some_and(|folder| folder.join("pyvenv.cfg").is_file())
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct OwnerCommands {
    pub owner: &'static str,
    pub update: &'static str,
    pub remove: &'static str,
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::ProgramOwner;

    #[test]
    fn a_package_manager_keeps_what_it_installed() {
        for (path, owner) in [
            ("/home/ada/.local/bin/probity", ProgramOwner::User),
            ("/usr/local/bin/probity", ProgramOwner::User),
            ("/home/ada/tools/probity-0.1.0-x86_64-unknown-linux-musl/probity", ProgramOwner::User),
            (
                "/usr/lib/node_modules/probity-research/node_modules/@probity/linux-x64/bin/probity",
                ProgramOwner::Npm,
            ),
            ("/home/ada/.npm/_npx/1/node_modules/probity-research-linux-x64/probity", ProgramOwner::Npm),
            ("/home/ada/.local/share/uv/tools/probity-research/bin/probity", ProgramOwner::Python),
            ("/usr/lib/python3/dist-packages/probity/probity", ProgramOwner::Python),
            ("/home/linuxbrew/.linuxbrew/Cellar/probity/0.1.0/bin/probity", ProgramOwner::Homebrew),
            ("/nix/store/abc-probity/bin/probity", ProgramOwner::Nix),
            ("/usr/bin/probity", ProgramOwner::System),
            ("/home/ada/.cargo/bin/probity", ProgramOwner::Cargo),
            ("/home/ada/probity/target/release/probity", ProgramOwner::Build),
        ] {
            assert_eq!(ProgramOwner::of(Path::new(path)), owner, "{path}");
        }
    }
}
