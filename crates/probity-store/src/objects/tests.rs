use probity_research::time::Moment;

use super::{
    ObjectKeys,
    location::{self, ObjectLocation},
    signature::{SignatureInput, authorization, sha256_hex, stamp},
};

#[track_caller]
fn check(text: &str, expected: Option<&str>) {
    let shown = location::parse(text).ok().map(|place| match place {
        ObjectLocation::Directory(path) => format!("directory {}", path.display()),
        ObjectLocation::Bucket(bucket) => format!("{} {} {}", bucket.root, bucket.host(), bucket.region),
    });
    assert_eq!(shown.as_deref(), expected, "{text}");
}

#[test]
fn places_are_read_strictly() {
    check("dir:/srv/objects", Some("directory /srv/objects"));
    check("dir:objects", None);
    check(
        "s3:https://s3.example.com/library",
        Some("https://s3.example.com/library/ s3.example.com us-east-1"),
    );
    check(
        "s3:https://s3.eu-central-1.amazonaws.com/library?region=eu-central-1&path_style=false",
        Some(
            "https://library.s3.eu-central-1.amazonaws.com/ library.s3.eu-central-1.amazonaws.com eu-central-1",
        ),
    );
    check(
        "s3:http://127.0.0.1:8333/library/",
        Some("http://127.0.0.1:8333/library/ 127.0.0.1:8333 us-east-1"),
    );
    check("s3:https://example.com:443/library", Some("https://example.com/library/ example.com us-east-1"));
    check(
        "s3:http://storage:8333/library?clear_text=true",
        Some("http://storage:8333/library/ storage:8333 us-east-1"),
    );
    for refused in [
        "",
        "/srv/objects",
        "s3:library",
        "s3:http://storage:8333/library",
        "s3:ftp://storage/library?clear_text=true",
        "s3:https://key:secret@storage/library",
        "s3:https://storage/",
        "s3:https://storage/library/deeper",
        "s3:https://storage/Library",
        "s3:https://storage/a..b",
        "s3:https://storage/library?zone=1",
        "s3:https://storage/library?path_style=maybe",
        "s3:https://storage/library?region=eu/central",
        "s3:https://127.0.0.1/library?path_style=false",
    ] {
        check(refused, None);
    }
}

#[test]
fn a_refusal_repeats_neither_keys_nor_addresses() {
    let problem = location::parse("s3:https://canary:canary@storage/library").err().unwrap();
    assert!(!problem.message.contains("canary"), "{}", problem.message);
}

/// The worked example "GET Object" of the provider's manual.
#[test]
fn signatures_are_those_of_the_manual() {
    let keys =
        ObjectKeys::new("AKIAIOSFODNN7EXAMPLE", "wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY", None).unwrap();
    let empty = sha256_hex(b"");
    let stamp = stamp(Moment::of_date("2013-05-24").unwrap());
    assert_eq!(stamp, "20130524T000000Z");
    let headers = [
        ("host", "examplebucket.s3.amazonaws.com"),
        ("range", "bytes=0-9"),
        ("x-amz-content-sha256", empty.as_str()),
        ("x-amz-date", stamp.as_str()),
    ];
    let signed = SignatureInput {
        method: "GET",
        path: "/test.txt",
        region: "us-east-1",
        headers: &headers,
        payload: &empty,
        stamp: &stamp,
    };
    assert_eq!(
        authorization(&signed, &keys),
        "AWS4-HMAC-SHA256 Credential=AKIAIOSFODNN7EXAMPLE/20130524/us-east-1/s3/aws4_request,\
         SignedHeaders=host;range;x-amz-content-sha256;x-amz-date,\
         Signature=f0e8bdb87c964420e857bd35b5d6ed310bd44f0170aba48dd91039c6036bdb41"
    );
}

#[test]
fn keys_are_never_shown() {
    let keys = ObjectKeys::new("canary-id", "canary-secret", Some("canary-token")).unwrap();
    assert_eq!(format!("{keys:?}"), "[keys]");
    for (id, secret) in [("", "x"), ("x", ""), ("a/b", "x"), ("x", "a b"), ("x", "a\nb")] {
        let problem = ObjectKeys::new(id, secret, None).err().unwrap();
        assert_eq!(problem.code, probity_research::error::Code::Settings);
    }
}
