//! `probity completions`: the script that lets a shell offer subcommands, flags and ids of runs.

use clap::{Args, ValueEnum};
use clap_complete::env::Shells;
use probity_research::Code;

use crate::{
    command_context::CommandContext, command_error::CommandError, environment, exit::Exit,
    tab_completion::VARIABLE,
};

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum Shell {
    Bash,
    Elvish,
    Fish,
    #[value(name = "powershell")]
    Power,
    Zsh,
}

impl Shell {
    fn name(self) -> &'static str {
        match self {
            Self::Bash => "bash",
            Self::Elvish => "elvish",
            Self::Fish => "fish",
            Self::Power => "powershell",
            Self::Zsh => "zsh",
        }
    }

    /// What to type once, so that every new shell has it.
    fn install(self) -> &'static str {
        match self {
            Self::Bash => "echo 'source <(probity completions bash)' >> ~/.bashrc",
            Self::Elvish => "echo 'eval (probity completions elvish | slurp)' >> ~/.elvish/rc.elv",
            Self::Fish => "probity completions fish > ~/.config/fish/completions/probity.fish",
            Self::Power => {
                "echo 'probity completions powershell | Out-String | Invoke-Expression' >> $PROFILE"
            }
            Self::Zsh => "echo 'source <(probity completions zsh)' >> ~/.zshrc",
        }
    }
}

#[derive(Debug, Args)]
pub struct CompletionsArguments {
    /// The shell
    #[arg(value_enum)]
    pub shell: Shell,
}

pub fn run(context: &CommandContext, arguments: &CompletionsArguments) -> Result<Exit, CommandError> {
    let failed = |error: &std::io::Error| {
        CommandError::new(Code::StoreFailed, "could not write the script").with_cause(error)
    };
    let shells = Shells::builtins();
    let Some(shell) = shells.completer(arguments.shell.name()) else {
        return Err(CommandError::new(Code::InvalidArguments, "this shell is not known"));
    };
    let program = environment::program().map_err(|error| failed(&error))?;
    let mut script = Vec::new();
    shell
        .write_registration(VARIABLE, "probity", "probity", &program.to_string_lossy(), &mut script)
        .map_err(|error| failed(&error))?;
    context.output.bytes(&script)?;
    if context.output.columns().is_some() {
        context
            .output
            .print_message(&format!("to have it in every new shell: {}", arguments.shell.install()));
    }
    Ok(Exit::Done)
}
