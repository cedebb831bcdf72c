//! What the doctor tells of our own web engine: who searches, who writes, what reads pages, what is opened.

use probity_extract::PAGE_TIME_MAX;
use probity_research::web::Hints;
use probity_web::{browser, fetch::Reach};

use super::{Check, MODELS, SEARCH};
use crate::{keys::Keys, planning, settings::Settings};

pub fn all(settings: &Settings, keys: &Keys) -> Vec<Check> {
    let mut checks = vec![search(settings, keys), model(settings, keys), parser(), chromium(settings)];
    checks.extend(reach(settings));
    checks
}

fn search(settings: &Settings, keys: &Keys) -> Check {
    let asked: Vec<&str> =
        planning::providers(settings, keys, &Hints::default()).iter().map(|name| name.as_str()).collect();
    match asked.first() {
        Some(&"tavily-keyless") => Check::warning(
            SEARCH,
            "search",
            format!("{} (no key: costs nothing, and is capped)", asked.join(", ")),
            "for more: TAVILY_API_KEY=… in a file and `probity setup --key-file FILE`, or your own SEARXNG_URL",
        ),
        Some(_) => Check::fine(SEARCH, "search", asked.join(", ")),
        None => {
            Check::failed(SEARCH, "search", "nobody to ask", "unset `search.providers`, or name one there")
        }
    }
}

fn model(settings: &Settings, keys: &Keys) -> Check {
    match planning::chat(settings, keys) {
        Ok(Some(chat)) => {
            let place = if chat.is_local() {
                "on this machine"
            } else {
                "elsewhere: your question and quotations go there"
            };
            Check::fine(MODELS, "chat model", format!("{} ({place})", chat.model()))
        }
        Ok(None) => Check::warning(
            MODELS,
            "chat model",
            "none: reports are made of quotations",
            "probity setup --model-endpoint http://127.0.0.1:11434/v1 --model NAME, or store a Gemini key",
        ),
        Err(problem) => Check::failed(
            MODELS,
            "chat model",
            problem.message,
            "look at `chat.*` in `probity config show --origin`",
        ),
    }
}

fn parser() -> Check {
    let seconds = PAGE_TIME_MAX.as_secs();
    match cfg!(target_os = "linux") {
        true => Check::fine(
            SEARCH,
            "parser",
            format!("a process of its own: {seconds} s a page, no files, no network, few system calls"),
        ),
        false => Check::warning(
            SEARCH,
            "parser",
            format!(
                "a process of its own: {seconds} s a page; this system does not keep it from files and network"
            ),
            "run Probity on Linux for pages that you do not trust",
        ),
    }
}

/// Missing is fine: only pages that scripts build need it, and only where it is asked for.
fn chromium(settings: &Settings) -> Check {
    if !settings.web.browser {
        return Check::fine(SEARCH, "Chromium", "switched off");
    }
    match browser::find(settings.web.browser_program.as_deref(), &settings.path) {
        Ok(program) => Check::fine(
            SEARCH,
            "Chromium",
            format!("{}; {}", program.display(), browser::confinement().sentence()),
        ),
        Err(_) => Check::fine(SEARCH, "Chromium", "not found; pages that scripts build stay unread"),
    }
}

fn reach(settings: &Settings) -> Option<Check> {
    let open = settings.web.reach != Reach::default();
    open.then(|| {
        Check::warning(
            SEARCH,
            "reach",
            "hosts are opened that are not public",
            "look at `web.reach` in `probity config show --origin`",
        )
    })
}
