//! Real names for what an answer cites: the provider's redirects replaced by the pages behind them.

use probity_models::{Transport, gemini::redirects::RedirectResolver};
use probity_research::{
    engine_call::RoundReply,
    report::{Citation, SourceLink},
};

/// Resolves the redirects among the sources; two that lead to one page become one source.
pub async fn resolve_sources<T: Transport>(
    redirects: &RedirectResolver<T>,
    mut reply: RoundReply,
) -> RoundReply {
    let mut resolved =
        redirects.resolve(reply.evidence.sources.iter().map(|source| source.url.as_str())).await;
    let places = rename(&mut reply.evidence.sources, &resolved);
    for Citation { source, .. } in &mut reply.citations {
        *source = places.get(*source).copied().unwrap_or(*source);
    }
    // Longest first: one link may be the beginning of another.
    resolved.sort_by_key(|(link, _)| std::cmp::Reverse(link.len()));
    reply.redirects = resolved;
    reply
}

/// Renames in place; returns for each old position the position of its source now.
fn rename(sources: &mut Vec<SourceLink>, resolved: &[(String, String)]) -> Vec<usize> {
    let mut named: Vec<SourceLink> = Vec::with_capacity(sources.len());
    let mut places = Vec::with_capacity(sources.len());
    for mut source in std::mem::take(sources) {
        if let Some((_, target)) = resolved.iter().find(|(link, _)| *link == source.url) {
            source.url.clone_from(target);
        }
        let place = named.iter().position(|known| known.url == source.url).unwrap_or(named.len());
        if place == named.len() {
            named.push(source);
        }
        places.push(place);
    }
    *sources = named;
    places
}

#[cfg(test)]
mod tests {
    use probity_research::report::SourceLink;

    use super::rename;

    #[test]
    fn two_redirects_to_one_page_become_one_source_and_places_follow() {
        let link = |url: &str| SourceLink { url: url.to_owned(), title: String::new() };
        let mut sources = vec![link("https://r/1"), link("https://b"), link("https://r/2")];
        let resolved = [("https://r/1", "https://a"), ("https://r/2", "https://a")]
            .map(|(from, to)| (from.to_owned(), to.to_owned()));
        assert_eq!(rename(&mut sources, &resolved), [0, 1, 0]);
        assert_eq!(sources, [link("https://a"), link("https://b")]);
    }
}
