//! The OpenAPI 3.1 document, made from the table of routes and the types that they take and give.

use probity_research::scope::KeyScope;
use schemars::{Schema, SchemaGenerator, generate::SchemaSettings, transform::transform_subschemas};
use serde_json::{Map, Value, json};

use super::{
    ApiOperation,
    operation::{ApiParameter, SchemaBuilder},
    problem, routes,
};

/// Where the document keeps its types.
const SCHEMAS: &str = "/components/schemas";
const PROBLEM_MEDIA: &str = "application/problem+json";
/// Refusals that every route may give.
const REFUSALS: [(&str, &str); 6] = [
    ("400", "The request does not fit"),
    ("401", "No valid key or token"),
    ("403", "The scope is missing"),
    ("404", "There is nothing, or not yours"),
    ("429", "Too many requests; see Retry-After"),
    ("503", "Not just now; see Retry-After"),
];
const REFUSALS_OF_A_START: [(&str, &str); 3] = [
    ("402", "It costs more than was accepted or is left of the day"),
    ("409", "The research it builds on has not ended"),
    ("422", "The Idempotency-Key was used for another request"),
];
const CONFLICT: (&str, &str) = ("409", "Not in the state for this");

pub fn document() -> Value {
    let mut made =
        OpenApiBuilder { takes: generator(SchemaDirection::Takes), gives: generator(SchemaDirection::Gives) };
    let problem = made.gives.subschema_for::<problem::ProblemBody>();
    let mut paths = Map::new();
    for (operation, _) in routes() {
        let path = paths.entry(operation.path.to_owned()).or_insert_with(|| json!({}));
        if let Some(path) = path.as_object_mut() {
            path.insert(operation.verb.as_str().to_owned(), made.operation(&operation, &problem));
        }
    }
    json!({
        "openapi": "3.1.0",
        "info": {
            "title": "Probity",
            "version": "1",
            "description": "Research questions on the web, with evidence behind every sentence.",
            "license": { "name": "Apache-2.0 OR MIT" },
        },
        "servers": [{ "url": "/" }],
        "paths": paths,
        "components": {
            "schemas": made.schemas(),
            "securitySchemes": {
                "bearer": {
                    "type": "http",
                    "scheme": "bearer",
                    "description": format!("An API key, or a token with the scopes {}", scopes()),
                },
            },
        },
    })
}

fn scopes() -> String {
    let words: Vec<&str> = KeyScope::ALL.into_iter().map(KeyScope::as_str).collect();
    words.join(", ")
}

enum SchemaDirection {
    Takes,
    Gives,
}

fn generator(contract: SchemaDirection) -> SchemaGenerator {
    let mut settings = SchemaSettings::draft2020_12();
    settings = match contract {
        SchemaDirection::Takes => settings.for_deserialize(),
        SchemaDirection::Gives => settings.for_serialize(),
    };
    settings.meta_schema = None;
    settings.definitions_path = SCHEMAS.into();
    settings.into_generator()
}

struct OpenApiBuilder {
    takes: SchemaGenerator,
    gives: SchemaGenerator,
}

impl OpenApiBuilder {
    fn operation(&mut self, operation: &ApiOperation, problem: &Schema) -> Value {
        let mut parameters: Vec<Value> = in_path(operation.path).map(path_parameter).collect();
        parameters.extend(operation.parameters.iter().map(parameter));
        let mut made = json!({
            "operationId": operation.id,
            "summary": operation.summary,
            "parameters": parameters,
            "responses": self.responses(operation, problem),
            // RFC 8705 and others name scopes for bearer tokens too since 3.1.
            "security": [{ "bearer": [operation.scope.as_str()] }],
        });
        if let (Some(takes), Some(object)) = (operation.takes, made.as_object_mut()) {
            let schema = takes(&mut self.takes);
            object.insert(
                "requestBody".to_owned(),
                json!({ "required": true, "content": { "application/json": { "schema": schema } } }),
            );
        }
        made
    }

    fn responses(&mut self, operation: &ApiOperation, problem: &Schema) -> Map<String, Value> {
        let mut responses = Map::new();
        let mut add = |status: String, meaning: &str, content: Option<(&str, Value)>| {
            let entry = responses.entry(status).or_insert_with(|| json!({ "description": meaning }));
            if let (Some((media, schema)), Some(entry)) = (content, entry.as_object_mut()) {
                let content = entry.entry("content").or_insert_with(|| json!({}));
                if let Some(content) = content.as_object_mut() {
                    content.insert(media.to_owned(), json!({ "schema": schema }));
                }
            }
        };
        for answer in &operation.answers {
            let content = answer
                .content
                .map(|(media, shape): (&str, SchemaBuilder)| (media, shape(&mut self.gives).to_value()));
            add(answer.status.to_string(), answer.meaning, content);
        }
        let of_kind: &[(&str, &str)] = match operation.scope {
            KeyScope::Start => &REFUSALS_OF_A_START,
            KeyScope::Read | KeyScope::Cancel => &[CONFLICT],
            KeyScope::Admin => &[],
        };
        for (status, meaning) in REFUSALS.iter().chain(of_kind) {
            add((*status).to_owned(), meaning, Some((PROBLEM_MEDIA, problem.clone().to_value())));
        }
        responses
    }

    /// Every named type. What is taken and what is given have different names.
    fn schemas(&mut self) -> Map<String, Value> {
        let mut all = self.gives.take_definitions(true);
        all.extend(self.takes.take_definitions(true));
        for schema in all.values_mut() {
            if let Ok(mut known) = Schema::try_from(schema.clone()) {
                plain(&mut known);
                *schema = known.to_value();
            }
        }
        all
    }
}

/// Formats of Rust numbers that JSON Schema does not know are noise.
fn plain(schema: &mut Schema) {
    schema.remove("format");
    transform_subschemas(&mut plain, schema);
}

fn in_path(path: &'static str) -> impl Iterator<Item = &'static str> {
    path.split('/').filter_map(|part| part.strip_prefix('{')?.strip_suffix('}'))
}

fn path_parameter(name: &'static str) -> Value {
    json!({ "name": name, "in": "path", "required": true, "schema": { "type": "string" } })
}

fn parameter(parameter: &ApiParameter) -> Value {
    json!({
        "name": parameter.name,
        "in": parameter.place,
        "required": false,
        "description": parameter.meaning,
        "schema": { "type": parameter.kind },
    })
}
