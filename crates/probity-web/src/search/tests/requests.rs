//! The requests of all providers, with no filter and with every one.

use expect_test::expect;
use probity_research::web::{Filters, ProviderName};

use super::{all_filters, check_request};

#[test]
fn tavily_is_asked_like_this() {
    check_request(ProviderName::Tavily, Filters::default(), expect![[""]]);
    check_request(ProviderName::Tavily, all_filters(), expect![[""]]);
}

#[test]
fn tavily_keyless_is_asked_like_this() {
    check_request(ProviderName::TavilyKeyless, Filters::default(), expect![[""]]);
    check_request(ProviderName::TavilyKeyless, all_filters(), expect![[""]]);
}

#[test]
fn brave_is_asked_like_this() {
    check_request(ProviderName::Brave, Filters::default(), expect![[""]]);
    check_request(ProviderName::Brave, all_filters(), expect![[""]]);
}

#[test]
fn exa_is_asked_like_this() {
    check_request(ProviderName::Exa, Filters::default(), expect![[""]]);
    check_request(ProviderName::Exa, all_filters(), expect![[""]]);
}

#[test]
fn searxng_is_asked_like_this() {
    check_request(ProviderName::Searxng, Filters::default(), expect![[""]]);
    check_request(ProviderName::Searxng, all_filters(), expect![[""]]);
}

#[test]
fn wikipedia_is_asked_like_this() {
    check_request(ProviderName::Wikipedia, Filters::default(), expect![[""]]);
    check_request(ProviderName::Wikipedia, all_filters(), expect![[""]]);
}

#[test]
fn arxiv_is_asked_like_this() {
    check_request(ProviderName::Arxiv, Filters::default(), expect![[""]]);
    check_request(ProviderName::Arxiv, all_filters(), expect![[""]]);
}

#[test]
fn openalex_is_asked_like_this() {
    check_request(ProviderName::Openalex, Filters::default(), expect![[""]]);
    check_request(ProviderName::Openalex, all_filters(), expect![[""]]);
}

#[test]
fn semantic_scholar_is_asked_like_this() {
    check_request(ProviderName::SemanticScholar, Filters::default(), expect![[""]]);
    check_request(ProviderName::SemanticScholar, all_filters(), expect![[""]]);
}

#[test]
fn pubmed_is_asked_like_this() {
    check_request(ProviderName::Pubmed, Filters::default(), expect![[""]]);
    check_request(ProviderName::Pubmed, all_filters(), expect![[""]]);
}

#[test]
fn crossref_is_asked_like_this() {
    check_request(ProviderName::Crossref, Filters::default(), expect![[""]]);
    check_request(ProviderName::Crossref, all_filters(), expect![[""]]);
}

#[test]
fn github_is_asked_like_this() {
    check_request(ProviderName::Github, Filters::default(), expect![[""]]);
    check_request(ProviderName::Github, all_filters(), expect![[""]]);
}

#[test]
fn hacker_news_is_asked_like_this() {
    check_request(ProviderName::HackerNews, Filters::default(), expect![[""]]);
    check_request(ProviderName::HackerNews, all_filters(), expect![[""]]);
}
