//! One request of each kind, with the same words wherever foreign words may stand.

use probity_research::{
    inquiry::{
        BlockKind, BriefRequest, ClaimId, ConflictId, ConflictSide, FacetId, FrontRequest, LineRequest,
        NodeId, OutlineRequest, PromptClaim, PromptConflict, PromptFacet, PromptGroup, PromptNode,
        PromptQuote, PromptRequirement, QuoteId, QuoteRole, RequirementId, RequirementKind, SectionRequest,
        SurveyFacet, SurveyRequest, SynthesisRequest, ToldElsewhere, TypedFact,
    },
    web::{strategy::StrategyLevel, task::WebRequest},
};

const TODAY: &str = "2026-11-17";

pub(super) fn requests(words: &str) -> Vec<WebRequest> {
    let own = || words.to_owned();
    let (quotes, nodes) = (vec![quote(3, words), quote(7, words)], vec![node(words)]);
    let (claims, conflicts) = (vec![claim(1, words), claim(4, words)], vec![conflict(words)]);
    let requirements = vec![requirement(words)];
    vec![
        WebRequest::Brief(BriefRequest {
            question: own(),
            context: Some(own()),
            depth: StrategyLevel::Medium,
            facets_min: 3,
            facets_max: 8,
            wanted: vec![own()],
            words: 1_800,
            language: Some(own()),
            today: TODAY.to_owned(),
        }),
        WebRequest::Line(LineRequest {
            question: own(),
            facet: FacetId(1),
            facet_question: own(),
            round: 2,
            quotes: quotes.clone(),
            asked_before: vec![own()],
            requirements: requirements.clone(),
            wants: vec![own()],
            terms: vec![own()],
            conflict: Some(conflict(words)),
            queries_max: 3,
            steer: vec![own()],
            today: TODAY.to_owned(),
        }),
        WebRequest::Survey(SurveyRequest {
            facets: vec![
                SurveyFacet { facet: FacetId(1), question: own(), searched_for: Some(own()) },
                SurveyFacet { facet: FacetId(2), question: own(), searched_for: None },
            ],
            text: own(),
            links: vec![own(), own()],
            quotes_max: 12,
        }),
        WebRequest::Outline(OutlineRequest {
            question: own(),
            reader_wants: own(),
            round: 1,
            rounds_max: 2,
            requirements: requirements.clone(),
            facets: vec![PromptFacet {
                id: FacetId(1),
                question: own(),
                quotes: 2,
                origins: 1,
                origins_wanted: 2,
                closed: false,
            }],
            quotes: quotes.clone(),
            nodes: nodes.clone(),
            conflicts: conflicts.clone(),
            sections_max: 5,
            words: 1_800,
            language: None,
            steer: vec![own()],
        }),
        WebRequest::Section(SectionRequest {
            question: own(),
            reader_wants: own(),
            outline: nodes.clone(),
            node: node(words),
            quotes,
            told_elsewhere: vec![ToldElsewhere { quote: QuoteId(9), node: NodeId(2), gist: own() }],
            conflicts: conflicts.clone(),
            requirements: requirements.clone(),
            block: BlockKind::Table,
            words: 400,
            language: None,
            steer: vec![own()],
            today: TODAY.to_owned(),
        }),
        WebRequest::Synthesis(SynthesisRequest {
            question: own(),
            reader_wants: own(),
            claims: claims.clone(),
            groups: vec![PromptGroup { about: own(), claims: vec![ClaimId(1), ClaimId(4)] }],
            requirements: requirements.clone(),
            conflicts,
            points_max: 6,
            words: 200,
            language: None,
            today: TODAY.to_owned(),
        }),
        WebRequest::Front(FrontRequest {
            question: own(),
            reader_wants: own(),
            headings: nodes,
            claims,
            unmet: requirements,
            points_max: 5,
            words: 150,
            language: None,
            today: TODAY.to_owned(),
        }),
    ]
}

fn quote(id: u32, words: &str) -> PromptQuote {
    let fact = TypedFact {
        entity: words.to_owned(),
        attribute: "length".to_owned(),
        value: "412".to_owned(),
        unit: "metres".to_owned(),
        ..TypedFact::default()
    };
    PromptQuote {
        id: QuoteId(id),
        text: words.to_owned(),
        site: "council.example".to_owned(),
        published: Some("2024-05-01".to_owned()),
        facets: vec![FacetId(1), FacetId(2)],
        role: QuoteRole::Finding,
        facts: vec![fact],
        origin: 1,
        copies: 2,
    }
}

fn node(words: &str) -> PromptNode {
    PromptNode {
        id: NodeId(1),
        parent: None,
        heading: words.to_owned(),
        question: words.to_owned(),
        wants: vec![words.to_owned()],
        block: BlockKind::Prose,
        quotes: vec![QuoteId(2)],
        words: 400,
    }
}

fn claim(id: u32, words: &str) -> PromptClaim {
    PromptClaim { id: ClaimId(id), node: NodeId(1), text: words.to_owned(), origins: 2 }
}

fn conflict(words: &str) -> PromptConflict {
    let side = |id: u32, value: &str| ConflictSide {
        quote: QuoteId(id),
        value: value.to_owned(),
        unit: "metres".to_owned(),
        site: "council.example".to_owned(),
        published: None,
    };
    PromptConflict {
        id: ConflictId(1),
        entity: words.to_owned(),
        attribute: "length".to_owned(),
        period: String::new(),
        sides: vec![side(3, "412"), side(7, "421")],
        is_suspected: false,
    }
}

fn requirement(words: &str) -> PromptRequirement {
    PromptRequirement {
        id: RequirementId(1),
        text: words.to_owned(),
        kind: RequirementKind::Content,
        met: false,
    }
}
