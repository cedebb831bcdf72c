use std::{path::Path, time::Duration};

use tokio::{
    io::{AsyncReadExt as _, AsyncWriteExt as _, DuplexStream, duplex},
    net::{UnixListener, UnixStream},
    time::timeout,
};

use super::{AttachExit, connect};

const PATIENCE: Duration = Duration::from_secs(5);

/// Who goes first when the script is over. Both at once would be anyone's guess.
#[derive(Clone, Copy)]
enum FirstToLeave {
    Client,
    Server,
}

/// A client on one side and a scripted server on the other, both seen by `script`.
async fn pumped<Out>(
    leaves: FirstToLeave,
    script: impl AsyncFnOnce(&mut DuplexStream, &mut DuplexStream, &mut UnixStream) -> Out,
) -> (Out, AttachExit) {
    let directory = tempfile::tempdir().unwrap();
    let listener = UnixListener::bind(directory.path().join("serve.sock")).unwrap();
    let attached = connect(directory.path()).await.unwrap();
    let (mut server, _) = listener.accept().await.unwrap();
    let ((mut questions, input), (output, mut answers)) = (duplex(1 << 20), duplex(1 << 20));
    let scripted = async {
        let out = script(&mut questions, &mut answers, &mut server).await;
        let mut questions = Some(questions);
        if let FirstToLeave::Client = leaves {
            questions = None;
            let mut nothing = Vec::new();
            server.read_to_end(&mut nothing).await.unwrap();
        }
        drop(server);
        let mut rest = String::new();
        answers.read_to_string(&mut rest).await.unwrap();
        drop(questions);
        assert_eq!(rest, "", "nothing may follow");
        out
    };
    let both = async { tokio::join!(scripted, attached.pump(input, output)) };
    timeout(PATIENCE, both).await.unwrap()
}

async fn exactly(from: &mut DuplexStream, bytes: usize) -> String {
    let mut text = vec![0; bytes];
    from.read_exact(&mut text).await.unwrap();
    String::from_utf8(text).unwrap()
}

#[tokio::test]
async fn where_nobody_serves_there_is_nothing_to_attach_to() {
    let directory = tempfile::tempdir().unwrap();
    assert!(connect(directory.path()).await.is_none());
    assert!(connect(Path::new("/nowhere/at/all")).await.is_none());
    // A dead server's socket is still a file, and nobody answers there.
    drop(UnixListener::bind(directory.path().join("serve.sock")).unwrap());
    assert!(timeout(Duration::from_millis(500), connect(directory.path())).await.unwrap().is_none());
}

#[tokio::test]
async fn messages_go_both_ways_and_the_clients_end_is_a_clean_end() {
    let (told, ended) = pumped(FirstToLeave::Client, async |questions, answers, server| {
        questions.write_all(b"ask\n").await.unwrap();
        let mut heard = [0; 4];
        server.read_exact(&mut heard).await.unwrap();
        server.write_all(b"one\ntwo\n").await.unwrap();
        let told = exactly(answers, 8).await;
        questions.shutdown().await.unwrap();
        assert_eq!(server.read(&mut heard).await.unwrap(), 0, "the server hears that its client left");
        told
    })
    .await;
    assert_eq!((told.as_str(), ended), ("one\ntwo\n", AttachExit::ByClient));
}

#[tokio::test]
async fn an_answer_on_its_way_arrives_after_the_client_stopped_asking() {
    let (told, ended) = pumped(FirstToLeave::Client, async |questions, answers, server| {
        questions.shutdown().await.unwrap();
        let mut nothing = [0; 1];
        assert_eq!(server.read(&mut nothing).await.unwrap(), 0);
        server.write_all(b"late\n").await.unwrap();
        exactly(answers, 5).await
    })
    .await;
    assert_eq!((told.as_str(), ended), ("late\n", AttachExit::ByClient));
}

#[tokio::test]
async fn a_server_that_dies_in_the_middle_of_a_line_leaves_no_half_line() {
    let (told, ended) = pumped(FirstToLeave::Server, async |_questions, answers, server| {
        server.write_all(b"{\"whole\":1}\n{\"hal").await.unwrap();
        exactly(answers, 12).await
    })
    .await;
    assert_eq!((told.as_str(), ended), ("{\"whole\":1}\n", AttachExit::ServerGone));
}

#[tokio::test]
async fn a_long_line_in_many_pieces_is_one_line() {
    let long = format!("{}\n", "x".repeat(300_000));
    let (told, ended) = pumped(FirstToLeave::Server, async |_questions, answers, server| {
        for piece in long.as_bytes().chunks(1_000) {
            server.write_all(piece).await.unwrap();
        }
        exactly(answers, long.len()).await
    })
    .await;
    assert!(told == long);
    assert_eq!(ended, AttachExit::ServerGone);
}
