use std::{fs, os::unix::fs::symlink};

use probity_types::{
    error::Code,
    time::Moment,
    web::page::{MediaKind, Provenance},
};

use super::{LocalFile, LocalFolder, LocalLimits};

fn names(folder: &LocalFolder, limits: &LocalLimits) -> (Vec<String>, u32) {
    let listing = folder.files(limits).unwrap();
    (listing.files.into_iter().map(|file| file.name).collect(), listing.left_out)
}

#[test]
fn readable_files_are_listed_and_nothing_leads_out() {
    let outside = tempfile::tempdir().unwrap();
    fs::write(outside.path().join("secret.md"), "secret").unwrap();
    let inside = tempfile::tempdir().unwrap();
    let path = |name: &str| inside.path().join(name);
    fs::create_dir_all(path("papers/old")).unwrap();
    fs::create_dir_all(path(".git")).unwrap();
    for name in
        ["b.md", "a.TXT", "papers/c.pdf", "papers/old/d.html", ".hidden.md", ".git/e.md", "program.rs"]
    {
        fs::write(path(name), "text").unwrap();
    }
    symlink(outside.path().join("secret.md"), path("out.md")).unwrap();
    symlink(outside.path(), path("way-out")).unwrap();
    symlink("b.md", path("inside.md")).unwrap();
    symlink(".", path("loop")).unwrap();
    let folder = LocalFolder::open(inside.path()).unwrap();
    let limits = LocalLimits::default();
    let expected =
        ["a.TXT", "b.md", "inside.md", "papers/c.pdf", "papers/old/d.html"].map(str::to_owned).to_vec();
    assert_eq!(names(&folder, &limits), (expected, 1));
    for name in ["out.md", "way-out/secret.md", "../secret.md"] {
        let file = LocalFile { name: name.to_owned(), media: MediaKind::Markdown, bytes: 6 };
        let problem = folder.read(&file, &limits, Moment(0)).unwrap_err();
        assert_eq!(problem.code, Code::SourceFolder, "{name}");
    }
    let absolute = outside.path().join("secret.md").to_str().unwrap().to_owned();
    let file = LocalFile { name: absolute, media: MediaKind::Markdown, bytes: 6 };
    assert_eq!(folder.read(&file, &limits, Moment(0)).unwrap_err().code, Code::SourceFolder);
}

#[test]
fn bounds_are_kept_and_told() {
    let inside = tempfile::tempdir().unwrap();
    fs::create_dir_all(inside.path().join("one/two")).unwrap();
    for name in ["a.md", "b.md", "c.md", "one/two/d.md"] {
        fs::write(inside.path().join(name), "0123456789").unwrap();
    }
    let folder = LocalFolder::open(inside.path()).unwrap();
    let all = LocalLimits::default();
    assert_eq!(
        names(&folder, &all),
        (["a.md", "b.md", "c.md", "one/two/d.md"].map(str::to_owned).to_vec(), 0)
    );
    let (files, left_out) = names(&folder, &LocalLimits { files: 2, ..all });
    assert_eq!((files.len(), left_out), (2, 2));
    assert_eq!(names(&folder, &LocalLimits { depth: 1, ..all }).1, 1);
    assert_eq!(names(&folder, &LocalLimits { bytes_each: 9, ..all }), (Vec::new(), 4));
    let file = folder.files(&all).unwrap().files.remove(0);
    let small = LocalLimits { bytes_each: 9, ..all };
    assert_eq!(folder.read(&file, &small, Moment(0)).unwrap_err().code, Code::PageTooLarge);
}

#[test]
fn a_file_is_a_page_with_its_name_for_an_address() {
    let inside = tempfile::tempdir().unwrap();
    fs::write(inside.path().join("notes.html"), "<html><p>Ferries sail at noon.</p></html>").unwrap();
    let folder = LocalFolder::open(inside.path()).unwrap();
    let limits = LocalLimits::default();
    let file = folder.files(&limits).unwrap().files.remove(0);
    let page = folder.read(&file, &limits, Moment(7)).unwrap();
    let whole = format!("{:?}", page.record);
    assert!(!whole.contains(inside.path().to_str().unwrap()), "{whole}");
    let record = &page.record;
    assert_eq!(
        (record.final_url.as_str(), record.media, &record.provenance, record.fetched_at, record.bytes),
        ("file:notes.html", MediaKind::Html, &Provenance::LocalFile, Moment(7), page.bytes.len() as u64)
    );
    assert!(record.headers.iter().any(|(name, _)| name == "last-modified"));
}

#[test]
fn a_folder_that_is_not_there_is_told() {
    let problem = LocalFolder::open(std::path::Path::new("/nowhere/at/all")).unwrap_err();
    assert_eq!(problem.code, Code::SourceFolder);
}
