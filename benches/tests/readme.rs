//! The pages that show figures are made from `docs/figures`, not typed by anyone.

use probity_benches::{benchmarks, pages, rig};

/// A clone without the history cannot tell which figures are stale; everything else has to be the same.
#[test]
fn the_pages_show_what_was_measured() {
    for (path, expected) in pages::all().unwrap() {
        let found = std::fs::read_to_string(rig::repository().join(path)).unwrap_or_default();
        assert_eq!(pages::without_ages(&found), pages::without_ages(&expected), "{path}: run `just pages`");
    }
}

#[test]
fn every_figure_says_what_it_was_measured_on() {
    for sheet in pages::sheets().unwrap() {
        for figure in sheet.figures {
            assert!(
                !figure.commit.is_empty() && !figure.profile.is_empty(),
                "{}: {}",
                sheet.area,
                figure.name
            );
        }
    }
}

#[test]
fn the_front_page_shows_figures_and_links_to_them() {
    let text = std::fs::read_to_string(rig::repository().join(pages::README)).unwrap();
    assert!(text.contains("<!-- figure:evidence:") && text.contains(pages::FIGURES));
    assert!(text.contains(pages::BENCHMARKS));
    assert!(benchmarks::COMPARED.len() <= 25, "a page that is compared is short");
}
