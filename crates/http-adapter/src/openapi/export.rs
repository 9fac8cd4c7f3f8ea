//! Everything of a person, given out or erased.

use super::response::{ErrorForm, Group, everywhere, json, limited};
use super::schema::{BEARER, reference};
use super::{data, example, ingest, parameter};
use crate::export::media_type;
use crate::ingest::ErasureAnswer;
use crate::problem::Fault;
use crate::route::Endpoint;
use application::ports::export_writer::ExportFormat;
use domain::scope::{Scope, ScopeSet};
use utoipa::openapi::path::{HttpMethod, Operation, OperationBuilder, PathItem};
use utoipa::openapi::security::SecurityRequirement;
use utoipa::openapi::{ContentBuilder, ResponseBuilder};

pub(super) const ERASURE_ERRORS: Group = Group {
    name: "Erasure",
    faults: &[
        Fault::InvalidRequest,
        Fault::InvalidUserId,
        Fault::MissingToken,
        Fault::InvalidToken,
        Fault::InsufficientScope,
        Fault::UnknownUser,
        Fault::RateLimited,
        Fault::StorageUnavailable,
    ],
    form: ErrorForm::Problem,
};

const EXPORT: &str = "Gives everything that the token allows: as lines that `restwell import` reads \
(`docs/import/ndjson.md`), or as a zip archive of CSV files with a README. The answer is written as the records are \
read; one that breaks off is not complete.";

const ERASURE: &str = "For service clients with the scope `users:write`. Deletes the person with everything that is \
kept of them, and ends every token. That an erasure happened is kept, and not of whom; the id is never given out again.";

pub(super) fn paths() -> Vec<(String, PathItem)> {
    [(Endpoint::Export, HttpMethod::Get, export()), (Endpoint::User, HttpMethod::Delete, erasure())]
        .map(|(endpoint, method, operation)| (endpoint.path().to_owned(), PathItem::new(method, operation)))
        .into()
}

fn export() -> Operation {
    let summary = "Everything that is kept of a person";
    let bytes = || ContentBuilder::new().schema(Some(parameter::string()));
    let lines = bytes().example(Some(example::export_line().into())).build();
    let answer = ResponseBuilder::new()
        .description(summary)
        .content(media_type(ExportFormat::Ndjson), lines)
        .content(media_type(ExportFormat::Zip), bytes().build());
    let mut operation = OperationBuilder::new()
        .operation_id(Some("export"))
        .tag(data::TAG)
        .summary(Some(summary))
        .description(Some(EXPORT))
        .parameter(parameter::user_id())
        .parameter(parameter::export_format())
        .parameter(parameter::types())
        .response("200", limited(everywhere(answer)).build());
    // One of them is enough to be let in.
    for scope in ScopeSet::CONSENTABLE.iter().map(Scope::as_str) {
        operation = operation.security(SecurityRequirement::new(BEARER, [scope]));
    }
    data::ERRORS.refer(operation).build()
}

fn erasure() -> Operation {
    let summary = "Erases a person";
    let answer = json("The receipt", reference::<ErasureAnswer>(), example::erasure());
    let operation = OperationBuilder::new()
        .operation_id(Some("eraseUser"))
        .tag(ingest::TAG)
        .summary(Some(summary))
        .description(Some(ERASURE))
        .security(SecurityRequirement::new(BEARER, [Scope::UsersWrite.as_str()]))
        .parameter(parameter::user_id())
        .response("200", limited(answer).build());
    ERASURE_ERRORS.refer(operation).build()
}
