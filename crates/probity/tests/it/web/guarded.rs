//! What never leaves the machine, and what is never reached on it.

use std::{
    io::ErrorKind,
    net::{TcpListener, TcpStream},
};

use probity_simulator::{Asked, SmallWebPage};

use super::stage::{Hands, QUESTION, Stage, norwick};

/// In folders and contexts; the simulator files every prompt that holds it under its key.
const IN_FOLDER: &str = "[[chat key=canary-folder]]";
const IN_CONTEXT: &str = "[[chat key=canary-context]]";

/// A folder and a context, each with a canary, given to a research.
fn with_canaries(hands: Hands) -> (Stage, String) {
    let stage = Stage::new(hands);
    let note =
        format!("The harbour bridge of Norwick was paid with 88 secret loans {IN_FOLDER} of the port.\n");
    stage.world.write("notes/bridge.md", &note);
    stage
        .world
        .write("context.txt", &format!("We plan to buy the harbour bridge of Norwick. {IN_CONTEXT}\n"));
    let arguments = ["research", "--web", "--folder", "notes", "--context", "context.txt", QUESTION];
    let done = stage.run(&arguments);
    assert_eq!(done.code, 0, "{}", done.err);
    (stage, done.out)
}

fn seen_by(stage: &Stage, key: &str) -> Vec<Option<Asked>> {
    let chat = stage.chat();
    chat.entries().iter().filter(|entry| entry.key == key).map(|entry| entry.asked).collect()
}

#[test]
fn folders_and_context_stay_where_they_are() {
    let (stage, report) = with_canaries(Hands::Paid);
    assert!(report.contains("88 secret loans"), "the folder was not used: {report}");
    assert_eq!(seen_by(&stage, "canary-folder"), []);
    assert_eq!(seen_by(&stage, "canary-context"), [Some(Asked::Write)]);
    let web = stage.web();
    assert!(!web.requests().is_empty() && !web.fetches().is_empty());
    for word in ["canary", "secret", "loans", "buy"] {
        let leaked = |text: &str| text.to_lowercase().contains(word);
        let asked = web.requests().iter().find(|request| leaked(&request.target) || leaked(&request.body));
        assert!(asked.is_none(), "{word} left in a search: {asked:?}");
        assert!(!web.fetches().keys().any(|url| leaked(url)), "{word} left in an address");
    }
}

/// The control: a model on this machine may be shown the folder, and then the ledger sees it.
#[test]
fn a_model_on_this_machine_reads_the_folder() {
    let (stage, report) = with_canaries(Hands::LocalModel);
    assert!(report.contains("88 secret loans"), "{report}");
    assert!(seen_by(&stage, "canary-folder").contains(&Some(Asked::Read)));
    let leaked = stage.web().requests().iter().any(|request| request.body.contains("canary"));
    assert!(!leaked);
}

#[test]
fn addresses_of_this_machine_are_not_fetched() {
    let canary = TcpListener::bind("127.0.0.1:0").unwrap();
    canary.set_nonblocking(true).unwrap();
    let inside = format!("http://{}/", canary.local_addr().unwrap());
    let text = "How long the harbour bridge of Norwick is and when it did open stands here.";
    let web = norwick()
        .with(
            SmallWebPage::new("http://moved.example/", "Norwick harbour bridge: long open", text)
                .redirecting_to(&inside),
        )
        .with(SmallWebPage::new(&inside, "Norwick harbour bridge: how long, when open", text));
    let stage = Stage::with(Hands::Paid, web);
    let done = stage.run(&["research", "--web", "--page", &inside, QUESTION]);
    assert_eq!(done.code, 0, "{}", done.err);
    assert!(done.out.contains("412 metres"), "{}", done.out);
    assert!(!done.out.contains(&inside), "{}", done.out);
    let moved = stage.fetches().iter().any(|(url, _)| url == "http://moved.example/");
    assert!(moved, "the redirect was never met: {:?}", stage.fetches());
    let refused = canary.accept().unwrap_err();
    assert_eq!(refused.kind(), ErrorKind::WouldBlock);
    // The control: it would have been seen.
    drop(TcpStream::connect(canary.local_addr().unwrap()).unwrap());
    assert!(canary.accept().is_ok());
}
