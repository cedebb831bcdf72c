//! The requests of all providers, with no filter and with every one.

use expect_test::expect;
use probity_types::web::{ProviderName, SearchFilters};

use super::{all_filters, check_request};

#[test]
fn tavily_is_asked_like_this() {
    check_request(
        ProviderName::Tavily,
        SearchFilters::default(),
        expect![[r#"
        Post https://api.tavily.com/search
          authorization: secret Bearer key-of-tavily
          x-client-source: probity
          {"include_usage":true,"max_results":5,"query":"why is the sky blue?","search_depth":"basic"}
        FilterReport { dates: None, domains: None, languages: None }
    "#]],
    );
    check_request(
        ProviderName::Tavily,
        all_filters(),
        expect![[r#"
        Post https://api.tavily.com/search
          authorization: secret Bearer key-of-tavily
          x-client-source: probity
          {"end_date":"2025-12-31","exclude_domains":["bad.example.org"],"filter_by_language":true,"include_domains":["example.org"],"include_usage":true,"language":"de","max_results":20,"query":"why is the sky blue?","search_depth":"basic","start_date":"2025-01-01"}
        FilterReport { dates: Some(Asked), domains: Some(Asked), languages: Some(Asked) }
    "#]],
    );
}

#[test]
fn tavily_keyless_is_asked_like_this() {
    check_request(
        ProviderName::TavilyKeyless,
        SearchFilters::default(),
        expect![[r#"
        Post https://api.tavily.com/search
          x-tavily-access-mode: keyless
          x-client-source: probity-keyless
          {"include_usage":true,"max_results":5,"query":"why is the sky blue?","search_depth":"basic"}
        FilterReport { dates: None, domains: None, languages: None }
    "#]],
    );
    check_request(
        ProviderName::TavilyKeyless,
        all_filters(),
        expect![[r#"
        Post https://api.tavily.com/search
          x-tavily-access-mode: keyless
          x-client-source: probity-keyless
          {"end_date":"2025-12-31","exclude_domains":["bad.example.org"],"filter_by_language":true,"include_domains":["example.org"],"include_usage":true,"language":"de","max_results":20,"query":"why is the sky blue?","search_depth":"basic","start_date":"2025-01-01"}
        FilterReport { dates: Some(Asked), domains: Some(Asked), languages: Some(Asked) }
    "#]],
    );
}

#[test]
fn brave_is_asked_like_this() {
    check_request(
        ProviderName::Brave,
        SearchFilters::default(),
        expect![[r#"
        Get https://api.search.brave.com/res/v1/web/search
          q=why is the sky blue?
          count=5
          result_filter=web
          text_decorations=false
          accept: application/json
          x-subscription-token: secret key-of-brave
        FilterReport { dates: None, domains: None, languages: None }
    "#]],
    );
    check_request(
        ProviderName::Brave,
        all_filters(),
        expect![[r#"
        Get https://api.search.brave.com/res/v1/web/search
          q=why is the sky blue? site:example.org -site:bad.example.org
          count=20
          result_filter=web
          text_decorations=false
          freshness=2025-01-01to2025-12-31
          search_lang=de
          accept: application/json
          x-subscription-token: secret key-of-brave
        FilterReport { dates: Some(Asked), domains: Some(Asked), languages: Some(Asked) }
    "#]],
    );
}

#[test]
fn exa_is_asked_like_this() {
    check_request(
        ProviderName::Exa,
        SearchFilters::default(),
        expect![[r#"
        Post https://api.exa.ai/search
          x-api-key: secret key-of-exa
          {"contents":{"highlights":true},"numResults":5,"query":"why is the sky blue?","type":"auto"}
        FilterReport { dates: None, domains: None, languages: None }
    "#]],
    );
    check_request(
        ProviderName::Exa,
        all_filters(),
        expect![[r#"
        Post https://api.exa.ai/search
          x-api-key: secret key-of-exa
          {"contents":{"highlights":true},"endPublishedDate":"2025-12-31T23:59:59.999Z","excludeDomains":["bad.example.org"],"includeDomains":["example.org"],"numResults":20,"query":"why is the sky blue?","startPublishedDate":"2025-01-01T00:00:00.000Z","type":"auto"}
        FilterReport { dates: Some(Asked), domains: Some(Asked), languages: Some(NotPossible) }
    "#]],
    );
}

#[test]
fn firecrawl_is_asked_like_this() {
    check_request(
        ProviderName::Firecrawl,
        SearchFilters::default(),
        expect![[r#"
        Post https://api.firecrawl.dev/v2/search
          authorization: secret Bearer key-of-firecrawl
          {"limit":5,"query":"why is the sky blue?","sources":[{"type":"web"}],"timeout":45000}
        FilterReport { dates: None, domains: None, languages: None }
    "#]],
    );
    check_request(
        ProviderName::Firecrawl,
        all_filters(),
        expect![[r#"
        Post https://api.firecrawl.dev/v2/search
          authorization: secret Bearer key-of-firecrawl
          {"includeDomains":["example.org"],"limit":20,"query":"why is the sky blue?","sources":[{"type":"web"}],"tbs":"cdr:1,cd_min:01/01/2025,cd_max:12/31/2025","timeout":45000}
        FilterReport { dates: Some(Asked), domains: Some(Asked), languages: Some(NotPossible) }
    "#]],
    );
}

#[test]
fn searxng_is_asked_like_this() {
    check_request(
        ProviderName::Searxng,
        SearchFilters::default(),
        expect![[r#"
        Get http://searx.example/search
          q=why is the sky blue?
          format=json
          language=all
          accept: application/json
        FilterReport { dates: None, domains: None, languages: None }
    "#]],
    );
    check_request(
        ProviderName::Searxng,
        all_filters(),
        expect![[r#"
        Get http://searx.example/search
          q=why is the sky blue? site:example.org -site:bad.example.org
          format=json
          language=de
          accept: application/json
        FilterReport { dates: Some(NotPossible), domains: Some(Asked), languages: Some(Asked) }
    "#]],
    );
}

#[test]
fn wikipedia_is_asked_like_this() {
    check_request(
        ProviderName::Wikipedia,
        SearchFilters::default(),
        expect![[r#"
        Get https://en.wikipedia.org/w/api.php
          action=query
          format=json
          formatversion=2
          generator=search
          gsrsearch=why is the sky blue?
          gsrlimit=5
          prop=info|extracts
          inprop=url
          exintro=1
          explaintext=1
          exchars=400
          exlimit=max
        FilterReport { dates: None, domains: None, languages: None }
    "#]],
    );
    check_request(
        ProviderName::Wikipedia,
        all_filters(),
        expect![[r#"
        Get https://de.wikipedia.org/w/api.php
          action=query
          format=json
          formatversion=2
          generator=search
          gsrsearch=why is the sky blue?
          gsrlimit=20
          prop=info|extracts
          inprop=url
          exintro=1
          explaintext=1
          exchars=400
          exlimit=max
        FilterReport { dates: Some(NotPossible), domains: Some(NotPossible), languages: Some(Asked) }
    "#]],
    );
}

#[test]
fn arxiv_is_asked_like_this() {
    check_request(
        ProviderName::Arxiv,
        SearchFilters::default(),
        expect![[r#"
        Get https://export.arxiv.org/api/query
          search_query=all:"sky" AND all:"blue"
          start=0
          max_results=5
          sortBy=relevance
        FilterReport { dates: None, domains: None, languages: None }
    "#]],
    );
    check_request(
        ProviderName::Arxiv,
        all_filters(),
        expect![[r#"
        Get https://export.arxiv.org/api/query
          search_query=(all:"sky" AND all:"blue") AND submittedDate:[202501010000 TO 202512312359]
          start=0
          max_results=20
          sortBy=relevance
        FilterReport { dates: Some(Asked), domains: Some(NotPossible), languages: Some(NotPossible) }
    "#]],
    );
}

#[test]
fn openalex_is_asked_like_this() {
    check_request(
        ProviderName::Openalex,
        SearchFilters::default(),
        expect![[r#"
        Get https://api.openalex.org/works
          search=why is the sky blue?
          per-page=5
          select=id,doi,display_name,publication_date,language,primary_location,abstract_inverted_index
          mailto=me@example.org
          api_key=secret key-of-openalex
        FilterReport { dates: None, domains: None, languages: None }
    "#]],
    );
    check_request(
        ProviderName::Openalex,
        all_filters(),
        expect![[r#"
        Get https://api.openalex.org/works
          search=why is the sky blue?
          per-page=20
          select=id,doi,display_name,publication_date,language,primary_location,abstract_inverted_index
          filter=from_publication_date:2025-01-01,to_publication_date:2025-12-31,language:de
          mailto=me@example.org
          api_key=secret key-of-openalex
        FilterReport { dates: Some(Asked), domains: Some(NotPossible), languages: Some(Asked) }
    "#]],
    );
}

#[test]
fn semantic_scholar_is_asked_like_this() {
    check_request(
        ProviderName::SemanticScholar,
        SearchFilters::default(),
        expect![[r#"
        Get https://api.semanticscholar.org/graph/v1/paper/search
          query=why is the sky blue?
          limit=5
          fields=title,url,abstract,publicationDate,year
          x-api-key: secret key-of-semantic-scholar
        FilterReport { dates: None, domains: None, languages: None }
    "#]],
    );
    check_request(
        ProviderName::SemanticScholar,
        all_filters(),
        expect![[r#"
        Get https://api.semanticscholar.org/graph/v1/paper/search
          query=why is the sky blue?
          limit=20
          fields=title,url,abstract,publicationDate,year
          publicationDateOrYear=2025-01-01:2025-12-31
          x-api-key: secret key-of-semantic-scholar
        FilterReport { dates: Some(Asked), domains: Some(NotPossible), languages: Some(NotPossible) }
    "#]],
    );
}

#[test]
fn pubmed_is_asked_like_this() {
    check_request(
        ProviderName::Pubmed,
        SearchFilters::default(),
        expect![[r#"
        Get https://eutils.ncbi.nlm.nih.gov/entrez/eutils/esearch.fcgi
          db=pubmed
          retmode=json
          tool=probity
          email=me@example.org
          api_key=secret key-of-pubmed
          term=why is the sky blue?
          retmax=5
          sort=relevance
        FilterReport { dates: None, domains: None, languages: None }
    "#]],
    );
    check_request(
        ProviderName::Pubmed,
        all_filters(),
        expect![[r#"
        Get https://eutils.ncbi.nlm.nih.gov/entrez/eutils/esearch.fcgi
          db=pubmed
          retmode=json
          tool=probity
          email=me@example.org
          api_key=secret key-of-pubmed
          term=why is the sky blue?
          retmax=20
          sort=relevance
          datetype=pdat
          mindate=2025/01/01
          maxdate=2025/12/31
        FilterReport { dates: Some(Asked), domains: Some(NotPossible), languages: Some(NotPossible) }
    "#]],
    );
}

#[test]
fn crossref_is_asked_like_this() {
    check_request(
        ProviderName::Crossref,
        SearchFilters::default(),
        expect![[r#"
        Get https://api.crossref.org/works
          query=why is the sky blue?
          rows=5
          select=DOI,URL,title,abstract,published
          mailto=me@example.org
        FilterReport { dates: None, domains: None, languages: None }
    "#]],
    );
    check_request(
        ProviderName::Crossref,
        all_filters(),
        expect![[r#"
        Get https://api.crossref.org/works
          query=why is the sky blue?
          rows=20
          select=DOI,URL,title,abstract,published
          filter=from-pub-date:2025-01-01,until-pub-date:2025-12-31
          mailto=me@example.org
        FilterReport { dates: Some(Asked), domains: Some(NotPossible), languages: Some(NotPossible) }
    "#]],
    );
}

#[test]
fn github_is_asked_like_this() {
    check_request(
        ProviderName::Github,
        SearchFilters::default(),
        expect![[r#"
        Get https://api.github.com/search/repositories
          q=sky blue
          per_page=5
          accept: application/vnd.github+json
          x-github-api-version: 2022-11-28
          authorization: secret Bearer key-of-github
        FilterReport { dates: None, domains: None, languages: None }
    "#]],
    );
    check_request(
        ProviderName::Github,
        all_filters(),
        expect![[r#"
        Get https://api.github.com/search/repositories
          q=sky blue pushed:2025-01-01..2025-12-31
          per_page=20
          accept: application/vnd.github+json
          x-github-api-version: 2022-11-28
          authorization: secret Bearer key-of-github
        FilterReport { dates: Some(Asked), domains: Some(NotPossible), languages: Some(NotPossible) }
    "#]],
    );
}

#[test]
fn hacker_news_is_asked_like_this() {
    check_request(
        ProviderName::HackerNews,
        SearchFilters::default(),
        expect![[r#"
        Get https://hn.algolia.com/api/v1/search
          query=sky blue
          tags=story
          hitsPerPage=5
        FilterReport { dates: None, domains: None, languages: None }
    "#]],
    );
    check_request(
        ProviderName::HackerNews,
        all_filters(),
        expect![[r#"
        Get https://hn.algolia.com/api/v1/search
          query=sky blue
          tags=story
          hitsPerPage=20
          numericFilters=created_at_i>=1735689600,created_at_i<1767225600
        FilterReport { dates: Some(Asked), domains: Some(NotPossible), languages: Some(NotPossible) }
    "#]],
    );
}
