//! The owner changes settings and keys in the page: the same file, the same reader and the same refusals as on the
//! command line, and no field for what a browser must not decide.

use std::{fs, os::unix::fs::PermissionsExt as _};

use super::{Page, owner::send};
use crate::harness::World;

const SECRET: &str = "tvly-page-canary-45c48cce";

#[test]
fn the_owner_changes_settings_in_the_page() {
    let world = World::new();
    let page = Page::open(&world, &[]);
    let cookie = page.log_in();
    let headers = [("host", page.host.as_str()), ("cookie", cookie.as_str())];
    let (_, shown) = page.get("/settings", &headers);
    assert!(shown.contains("name=\"budget.max_usd\" value=\"\""), "{shown}");
    for never in ["name=\"serve.listen\"", "name=\"checks.judge_program\"", "name=\"fleet.database\""] {
        assert!(!shown.contains(never), "{never}");
    }
    let file = world.home.path().join("config/probity/config.toml");
    let fields = "budget.max_usd=2.50&research.deadline=20m&budget.guard_usd=";
    let (status, saved) = send(&page, &cookie, "/settings", fields);
    assert_eq!(status, 200, "{saved}");
    assert!(saved.contains("Saved budget.max_usd, research.deadline in "), "{saved}");
    let after = "[budget]\nmax_usd = 2.50\n\n[research]\ndeadline = \"20m\"\n";
    assert_eq!(fs::read_to_string(&file).unwrap(), after);
    assert!(saved.contains("Changed since this page was started"), "{saved}");
    for (fields, said) in [
        ("budget.max_usd=lots", "which is not an amount in US dollars"),
        ("serve.listen=0.0.0.0%3A1", "this setting is not changed here"),
        ("checks.judge_program=%2Fbin%2Fsh", "this setting is not changed here"),
    ] {
        let (status, refused) = send(&page, &cookie, "/settings", fields);
        assert_eq!(status, 400, "{refused}");
        assert!(refused.contains(said), "{said}: {refused}");
    }
    assert_eq!(fs::read_to_string(&file).unwrap(), after);
    let (_, emptied) = send(&page, &cookie, "/settings", "budget.max_usd=");
    assert!(emptied.contains("Saved budget.max_usd in "), "{emptied}");
    assert_eq!(fs::read_to_string(&file).unwrap(), "[budget]\n\n[research]\ndeadline = \"20m\"\n");
}

#[test]
fn the_owner_stores_a_key_and_tries_one_in_the_page() {
    let world = World::new();
    let page = Page::open(&world, &[]);
    let cookie = page.log_in();
    let key = format!("name=TAVILY_API_KEY&key={SECRET}");
    let (status, stored) = send(&page, &cookie, "/settings/key", &key);
    assert_eq!(status, 200, "{stored}");
    assert!(stored.contains("TAVILY_API_KEY is stored") && !stored.contains(SECRET), "{stored}");
    let keys = world.home.path().join("config/probity/keys.env");
    assert_eq!(fs::read_to_string(&keys).unwrap(), format!("TAVILY_API_KEY={SECRET}\n"));
    assert_eq!(fs::metadata(&keys).unwrap().permissions().mode() & 0o777, 0o600);
    let (_, removed) = send(&page, &cookie, "/settings/key", "name=TAVILY_API_KEY&remove=yes");
    assert!(removed.contains("TAVILY_API_KEY is removed"), "{removed}");
    assert_eq!(fs::read_to_string(&keys).unwrap(), "");
    let (_, tried) = send(&page, &cookie, "/settings/try", "what=google");
    assert!(tried.contains("reached, and the key was not refused"), "{tried}");
    let (_, unknown) = send(&page, &cookie, "/settings/try", "what=everything");
    assert!(unknown.contains("there is nothing of that name to try"), "{unknown}");
    assert_eq!(world.ledger().entries().len(), 0, "a trial starts no research");
}
