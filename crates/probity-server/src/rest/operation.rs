//! One route as the OpenAPI document describes it: path, scope, request and response.

use probity_research::scope::KeyScope;
use schemars::{JsonSchema, Schema, SchemaGenerator};

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum HttpVerb {
    Get,
    Post,
    Put,
    Patch,
    Delete,
}

impl HttpVerb {
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Get => "get",
            Self::Post => "post",
            Self::Put => "put",
            Self::Patch => "patch",
            Self::Delete => "delete",
        }
    }
}

/// Adds a type's schema, with all that it refers to, to a generator.
pub(super) type SchemaBuilder = fn(&mut SchemaGenerator) -> Schema;

#[derive(Debug, Clone)]
pub struct ApiOperation {
    pub verb: HttpVerb,
    pub path: &'static str,
    pub id: &'static str,
    pub scope: KeyScope,
    pub summary: &'static str,
    pub(super) parameters: Vec<ApiParameter>,
    pub(super) takes: Option<SchemaBuilder>,
    pub(super) answers: Vec<ApiResponse>,
}

#[derive(Debug, Clone)]
pub(super) struct ApiParameter {
    pub(super) place: &'static str,
    pub(super) name: &'static str,
    pub(super) kind: &'static str,
    pub(super) meaning: &'static str,
}

#[derive(Debug, Clone)]
pub(super) struct ApiResponse {
    pub(super) status: u16,
    pub(super) meaning: &'static str,
    pub(super) content: Option<(&'static str, SchemaBuilder)>,
}

impl ApiOperation {
    pub(super) fn new(
        verb: HttpVerb,
        path: &'static str,
        id: &'static str,
        scope: KeyScope,
        summary: &'static str,
    ) -> Self {
        Self { verb, path, id, scope, summary, parameters: Vec::new(), takes: None, answers: Vec::new() }
    }

    pub(super) fn takes<T: JsonSchema>(mut self) -> Self {
        self.takes = Some(|generator| generator.subschema_for::<T>());
        self
    }

    pub(super) fn gives<T: JsonSchema>(self, status: u16, meaning: &'static str) -> Self {
        self.gives_as::<T>(status, meaning, "application/json")
    }

    pub(super) fn gives_as<T: JsonSchema>(
        mut self,
        status: u16,
        meaning: &'static str,
        media: &'static str,
    ) -> Self {
        let shape: SchemaBuilder = |generator| generator.subschema_for::<T>();
        self.answers.push(ApiResponse { status, meaning, content: Some((media, shape)) });
        self
    }

    pub(super) fn gives_nothing(mut self, status: u16, meaning: &'static str) -> Self {
        self.answers.push(ApiResponse { status, meaning, content: None });
        self
    }

    pub(super) fn query(self, name: &'static str, kind: &'static str, meaning: &'static str) -> Self {
        self.parameter("query", name, kind, meaning)
    }

    pub(super) fn header(self, name: &'static str, meaning: &'static str) -> Self {
        self.parameter("header", name, "string", meaning)
    }

    fn parameter(
        mut self,
        place: &'static str,
        name: &'static str,
        kind: &'static str,
        meaning: &'static str,
    ) -> Self {
        self.parameters.push(ApiParameter { place, name, kind, meaning });
        self
    }
}
