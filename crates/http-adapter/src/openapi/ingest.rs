//! What backends write.

use super::example;
use super::ingest_item::{self, Item};
use super::parameter;
use super::response::{ErrorForm, Group, json, limited};
use super::schema::{BEARER, reference};
use crate::ingest::IngestAnswer;
use crate::problem::Fault;
use crate::route::Endpoint;
use application::import::ingest::MAX_ITEMS;
use domain::scope::Scope;
use utoipa::openapi::path::{
    HttpMethod, Operation, OperationBuilder, Parameter, ParameterBuilder, ParameterIn, PathItem,
};
use utoipa::openapi::request_body::{RequestBody, RequestBodyBuilder};
use utoipa::openapi::schema::{ArrayBuilder, OneOfBuilder};
use utoipa::openapi::security::SecurityRequirement;
use utoipa::openapi::{ContentBuilder, Required, ResponseBuilder};

pub(super) const TAG: &str = "ingest";

pub(super) const ERRORS: Group = Group {
    name: "Ingest",
    faults: &[
        Fault::InvalidRequest,
        Fault::InvalidUserId,
        Fault::MissingToken,
        Fault::InvalidToken,
        Fault::InsufficientScope,
        Fault::UnknownUser,
        Fault::RequestTimeout,
        Fault::RequestInProgress,
        Fault::PayloadTooLarge,
        Fault::TooManyItems,
        Fault::UnsupportedMediaType,
        Fault::IdempotencyKeyReused,
        Fault::RateLimited,
        Fault::StorageUnavailable,
        Fault::IngestBusy,
    ],
    form: ErrorForm::Problem,
};

pub(super) const DELETION_ERRORS: Group = Group {
    name: "Deletion",
    faults: &[
        Fault::InvalidRequest,
        Fault::InvalidParameter,
        Fault::InvalidUserId,
        Fault::MissingToken,
        Fault::InvalidToken,
        Fault::InsufficientScope,
        Fault::UnknownRecord,
        Fault::RateLimited,
        Fault::StorageUnavailable,
    ],
    form: ErrorForm::Problem,
};

/// One endpoint that takes items.
struct Taking {
    endpoint: Endpoint,
    method: HttpMethod,
    id: &'static str,
    summary: &'static str,
    scope: Scope,
    item: Item,
}

pub(super) fn paths() -> Vec<(String, PathItem)> {
    let taking = takings().into_iter().map(|one| {
        let (path, method) = (one.endpoint.path().to_owned(), one.method.clone());
        (path, PathItem::new(method, taking(one)))
    });
    let session = ("deleteSleepSession", "Deletes a sleep session", Scope::SleepWrite, "session_id");
    let log = ("deleteSupplementLog", "Deletes an intake log", Scope::SupplementsWrite, "log_id");
    let deletions =
        [(Endpoint::SleepSession, session), (Endpoint::IntakeLog, log)].map(|(endpoint, what)| {
            (endpoint.path().to_owned(), PathItem::new(HttpMethod::Delete, deletion(what)))
        });
    taking.chain(deletions).collect()
}

fn takings() -> [Taking; 5] {
    let of = |endpoint, id, summary, scope, item| {
        let method = if matches!(endpoint, Endpoint::Profile) { HttpMethod::Put } else { HttpMethod::Post };
        Taking { endpoint, method, id, summary, scope, item }
    };
    [
        of(Endpoint::Users, "storeUsers", "Creates people", Scope::UsersWrite, ingest_item::user()),
        of(
            Endpoint::Profile,
            "storeProfile",
            "Changes what is known of a person; what is absent stays as it is",
            Scope::ProfileWrite,
            ingest_item::profile(),
        ),
        of(
            Endpoint::Sleep,
            "storeSleep",
            "Stores a person's sleep sessions",
            Scope::SleepWrite,
            ingest_item::session(),
        ),
        of(
            Endpoint::Catalogue,
            "storeSupplements",
            "Stores labels of supplements",
            Scope::SupplementsWrite,
            ingest_item::label(),
        ),
        of(
            Endpoint::IntakeLogs,
            "storeSupplementLogs",
            "Stores a person's intake logs",
            Scope::SupplementsWrite,
            ingest_item::log(),
        ),
    ]
}

fn taking(Taking { endpoint, method: _, id, summary, scope, item }: Taking) -> Operation {
    let text = format!(
        "For service clients with the scope `{scope}`. Takes one item or at most {MAX_ITEMS}, in at most 64 MiB; a \
        body that is not well-formed leaves no trace. Each item is answered for itself, in the order of the items; \
        sending items again doubles none."
    );
    let answer = limited(json(summary, reference::<IngestAnswer<'_>>(), example::ingest())).build();
    let mut operation = OperationBuilder::new()
        .operation_id(Some(id))
        .tag(TAG)
        .summary(Some(summary))
        .description(Some(text))
        .security(SecurityRequirement::new(BEARER, [scope.as_str()]))
        .request_body(Some(body(item)))
        .response("200", answer);
    if endpoint.path().contains("{user_id}") {
        operation = operation.parameter(parameter::user_id());
    }
    ERRORS.refer(operation.parameter(idempotency_key())).build()
}

fn body(Item { schema, example }: Item) -> RequestBody {
    let example_of_lines = format!("{example}\n{example}\n");
    let list = ArrayBuilder::new().items(schema.clone()).max_items(Some(MAX_ITEMS));
    let either = OneOfBuilder::new().item(schema).item(list);
    let json = ContentBuilder::new().schema(Some(either)).example(Some(vec![example].into())).build();
    let lines = ContentBuilder::new()
        .schema(Some(parameter::string().description(Some("One item a line."))))
        .example(Some(example_of_lines.into()));
    RequestBodyBuilder::new()
        .description(Some("One item, or a list of items; or an item a line."))
        .required(Some(Required::True))
        .content("application/json", json)
        .content("application/x-ndjson", lines.build())
        .build()
}

fn deletion((id, summary, scope, name): (&str, &str, Scope, &str)) -> Operation {
    let of_record = ParameterBuilder::new()
        .name(name)
        .parameter_in(ParameterIn::Path)
        .required(Required::True)
        .description(Some(
            "The id of the record. What is no UUID is answered 400, and not 404, as everywhere.",
        ))
        .schema(Some(parameter::uuid()));
    let answer = limited(super::response::everywhere(ResponseBuilder::new().description("Deleted.")));
    let operation = OperationBuilder::new()
        .operation_id(Some(id))
        .tag(TAG)
        .summary(Some(summary))
        .description(Some(format!("For service clients with the scope `{scope}`.")))
        .security(SecurityRequirement::new(BEARER, [scope.as_str()]))
        .parameter(parameter::user_id())
        .parameter(of_record.build())
        .response("204", answer.build());
    DELETION_ERRORS.refer(operation).build()
}

fn idempotency_key() -> Parameter {
    ParameterBuilder::new()
        .name("Idempotency-Key")
        .parameter_in(ParameterIn::Header)
        .required(Required::False)
        .description(Some(
            "A name for this request. When it comes again within 24 hours with the same key, it is answered as it was \
            and nothing is done; with another method, path or body it is refused.",
        ))
        .schema(Some(parameter::string().min_length(Some(1)).max_length(Some(255)).pattern(Some("^[!-~]+$"))))
        .build()
}
