//! The change feed.

use super::response::{ErrorForm, Group, json, limited};
use super::schema::{BEARER, reference};
use super::{data, example, parameter};
use crate::data::dto::ChangesAnswer;
use crate::problem::Fault;
use crate::route::Endpoint;
use domain::scope::{Scope, ScopeSet};
use utoipa::openapi::path::{HttpMethod, OperationBuilder, PathItem};
use utoipa::openapi::security::SecurityRequirement;

pub(super) const ERRORS: Group = Group {
    name: "Changes",
    faults: &[
        Fault::InvalidRequest,
        Fault::InvalidParameter,
        Fault::InvalidUserId,
        Fault::MissingToken,
        Fault::InvalidToken,
        Fault::OtherUser,
        Fault::InsufficientScope,
        Fault::NotFound,
        Fault::CursorExpired,
        Fault::RateLimited,
        Fault::StorageUnavailable,
    ],
    form: ErrorForm::Problem,
};

const DESCRIPTION: &str = "Tells what became of a person's records, in the order in which it was stored, so that an \
app keeps in step without reading everything again. Without `cursor` it tells everything that there is. Keep `cursor` \
of each answer for the next request, and ask on while `has_more` is true. An `upsert` carries the record as it is now; \
of a `delete` whose `id` is unknown nothing is to be done. A cursor is of one person: another \
person's is a 400 `invalid_parameter`. Deletions are told for 90 days: an older cursor is a 410 `cursor_expired`; begin \
again without one. Needs the scope of each type that is told.";

pub(super) fn paths() -> Vec<(String, PathItem)> {
    let summary = "What changed of a person's records";
    let mut operation = OperationBuilder::new()
        .operation_id(Some("readChanges"))
        .tag(data::TAG)
        .summary(Some(summary))
        .description(Some(DESCRIPTION))
        .parameter(parameter::user_id())
        .response("200", limited(json(summary, reference::<ChangesAnswer>(), example::changes())).build());
    // One of them is enough to be let in.
    for scope in ScopeSet::CONSENTABLE.iter().map(Scope::as_str) {
        operation = operation.security(SecurityRequirement::new(BEARER, [scope]));
    }
    for parameter in [parameter::cursor(), parameter::change_limit(), parameter::types()] {
        operation = operation.parameter(parameter);
    }
    let item = PathItem::new(HttpMethod::Get, ERRORS.refer(operation).build());
    vec![(Endpoint::Changes.path().to_owned(), item)]
}
