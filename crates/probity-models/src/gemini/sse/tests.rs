use proptest::prelude::*;

use super::{FRAME_BYTES_MAX, FrameTooLong, SseFrameParser};

fn frames_of(pieces: &[&[u8]]) -> Result<Vec<String>, FrameTooLong> {
    let mut frames = SseFrameParser::default();
    let mut found = Vec::new();
    for piece in pieces {
        frames.push(piece);
        while let Some(frame) = frames.next_frame()? {
            found.push(String::from_utf8_lossy(&frame).into_owned());
        }
    }
    while let Some(frame) = frames.finish()? {
        found.push(String::from_utf8_lossy(&frame).into_owned());
    }
    Ok(found)
}

#[track_caller]
fn check(stream: &str, expected: &[&str]) {
    assert_eq!(frames_of(&[stream.as_bytes()]).unwrap(), expected);
}

#[test]
fn all_line_ends_comments_and_names_are_taken() {
    check("event: a\rdata: 1\r\r: keep-alive\r\rdata:2\r\r", &["1", "2"]);
    check("data: 1\r\n\rdata: 2\n\r", &["1", "2"]);
    check("event: a\ndata: 1\n\nevent: b\ndata: 2\n\n", &["1", "2"]);
    check("event: a\r\ndata: 1\r\n\r\n: keep-alive\r\n\r\ndata:2\r\n\r\n", &["1", "2"]);
    check("data: 1\n\ndata: [DONE]\n\n", &["1", "[DONE]"]);
}

#[test]
fn several_data_lines_are_one_frame() {
    check("data: {\ndata:  \"a\": 1\ndata: }\n\n", &["{\n \"a\": 1\n}"]);
    check("data\n\n", &[""]);
    check("datax: 1\nid: 7\nretry: 5\n\n", &[]);
}

#[test]
fn a_stream_may_stop_without_the_empty_line_or_even_the_line_end() {
    check("data: 1\n\ndata: 2\n", &["1", "2"]);
    check("data: 1\n\ndata: 2", &["1", "2"]);
    check("\u{feff}data: 1\n\n", &["1"]);
    check("", &[]);
}

#[test]
fn what_has_come_of_a_frame_can_be_seen() {
    for (stream, expected) in [
        ("\u{feff}data: {\"a\":", "{\"a\":"),
        ("data: 1\r\rid: 7\rdata: 2\r", "2"),
        ("data: 1\r\n\r\nevent: x\r\ndata: 2", "2"),
        ("data: 1\n\n", ""),
        ("event: x", ""),
    ] {
        let mut frames = SseFrameParser::default();
        frames.push(stream.as_bytes());
        while frames.next_frame().unwrap().is_some() {}
        assert_eq!(String::from_utf8_lossy(frames.open_data()), expected, "{stream:?}");
    }
}

#[test]
fn a_frame_without_end_is_an_error_not_a_full_memory() {
    let long = vec![b'x'; FRAME_BYTES_MAX + 1];
    assert_eq!(frames_of(&[b"data: ", &long]), Err(FrameTooLong));
    let mut lines = Vec::new();
    for _ in 0..=FRAME_BYTES_MAX / 1_000_000 {
        lines.extend_from_slice(b"data: ");
        lines.resize(lines.len() + 1_000_000, b'x');
        lines.push(b'\n');
    }
    assert_eq!(frames_of(&[&lines]), Err(FrameTooLong));
}

proptest! {
    /// Pieces end anywhere, also inside a letter and between CR and LF.
    #[test]
    fn any_chunking_gives_the_same_frames(
        stream in "((data: ?[a-zß🙂{}:\"]{0,12}|event: x|: c|id|)(\n|\r\n|\r)){0,30}(data: tail)?",
        cuts in proptest::collection::vec(0_usize..400, 0..40),
    ) {
        let bytes = stream.as_bytes();
        let whole = frames_of(&[bytes]).unwrap();
        let mut cuts: Vec<usize> = cuts.into_iter().map(|cut| cut.min(bytes.len())).collect();
        cuts.extend([0, bytes.len()]);
        cuts.sort_unstable();
        let pieces: Vec<&[u8]> = cuts.windows(2).map(|pair| &bytes[pair[0]..pair[1]]).collect();
        prop_assert_eq!(&frames_of(&pieces).unwrap(), &whole);
        let single: Vec<&[u8]> = bytes.chunks(1).collect();
        prop_assert_eq!(&frames_of(&single).unwrap(), &whole);
    }

    #[test]
    fn no_bytes_make_it_panic(pieces in proptest::collection::vec(any::<Vec<u8>>(), 0..20)) {
        let pieces: Vec<&[u8]> = pieces.iter().map(Vec::as_slice).collect();
        frames_of(&pieces).unwrap();
    }
}
