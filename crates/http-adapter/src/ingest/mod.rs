//! Endpoints through which first-party backends write (decisions 9): people, profiles, sleep, labels, logs.
//!
//! Each calls the gate first, which authenticates, authorizes and counts. Then the body is spooled, and the
//! items are stored on a blocking thread, to the end even if the caller disconnects.

mod answer;
mod claim;
mod delete;
mod erase;
mod gate;
mod job;
mod key;
pub(crate) mod permit;
mod spool;

use answer::IngestAnswer;
pub(crate) use spool::MAX_WAIT;

use crate::body::media_type;
use crate::data::dto::item::{self, IdempotencyKey};
use crate::data::dto::query::UserPath;
use crate::example;
use crate::parameter::Parameters;
use crate::problem::{Fault, Problem, error_responses};
use crate::route::Endpoint;
use crate::state::ApiState;
use actix_web::http::StatusCode;
use actix_web::web::{self, Payload, ServiceConfig};
use actix_web::{HttpRequest, HttpResponse};
use application::import::ingest::{IngestCommand, IngestKind, IngestLayout, IngestShape};
use domain::scope::Scope;
use job::Job;
use utoipa::OpenApi;

/// `OpenAPI` operations of this module.
#[derive(OpenApi)]
#[openapi(
    paths(post_users, put_profile, post_sleep, post_supplements, post_logs, delete::session, delete::log, erase::user),
    modifiers(&IngestErrors, &DeletionErrors, &ErasureErrors)
)]
pub(crate) struct IngestApi;

error_responses! {
    /// Errors of the endpoints that store items.
    IngestErrors = Problem "Ingest": [
        InvalidRequest InvalidUserId MissingToken InvalidToken InsufficientScope UnknownUser RequestTimeout
        RequestInProgress PayloadTooLarge TooManyItems UnsupportedMediaType IdempotencyKeyReused RateLimited
        StorageUnavailable Overloaded TooManyAtOnce IngestBusy
    ];
    /// Errors of deleting a record.
    DeletionErrors = Problem "Deletion": [
        InvalidRequest InvalidParameter InvalidUserId MissingToken InvalidToken InsufficientScope
        UnknownRecord RateLimited StorageUnavailable Overloaded TooManyAtOnce
    ];
    /// Errors of erasing a person.
    ErasureErrors = Problem "Erasure": [
        InvalidRequest InvalidUserId MissingToken InvalidToken InsufficientScope UnknownUser RateLimited
        StorageUnavailable Overloaded TooManyAtOnce
    ];
}

/// Registers the endpoints, except those that share a path with the data endpoints.
pub(crate) fn configure(routes: &mut ServiceConfig) {
    routes
        .service(Endpoint::Users.resource().route(web::post().to(post_users)))
        .service(Endpoint::User.resource().route(web::delete().to(erase::user)))
        .service(Endpoint::Catalogue.resource().route(web::post().to(post_supplements)))
        .service(Endpoint::IntakeLogs.resource().route(web::post().to(post_logs)))
        .service(Endpoint::SleepSession.resource().route(web::delete().to(delete::session)))
        .service(Endpoint::IntakeLog.resource().route(web::delete().to(delete::log)));
}

/// Declares the operations that store items.
macro_rules! operations {
    ($($name:ident { $summary:tt, $method:ident $endpoint:ident, $id:tt, params $params:tt, $kind:ident, $scope:ident, $items:ident of $item:ident })+) => {$(
        #[utoipa::path(
            $method, path = Endpoint::$endpoint.path(), tag = "ingest", operation_id = $id,
            summary = $summary, description = description(Scope::$scope),
            params $params,
            request_body(
                description = "One item, a list of items, or one item per line.",
                content(
                    (inline(item::$items) = "application/json", example = item::list::<item::$item>),
                    (String = "application/x-ndjson", example = item::lines::<item::$item>),
                ),
            ),
            responses(
                (status = 200, description = "The result of each item", body = IngestAnswer, example = example::ingest),
                IngestErrors,
            ),
        )]
        pub(crate) async fn $name(
            request: HttpRequest,
            payload: Payload,
            state: web::Data<ApiState>,
        ) -> Result<HttpResponse, Problem> {
            ingest(request, payload, state, (IngestKind::$kind, Scope::$scope)).await
        }
    )+};
}

operations! {
    post_users { "Creates people", post Users, "storeUsers", params(IdempotencyKey), Users, UsersWrite, UserItems of UserItem }
    put_profile { "Changes a person's profile; missing members stay unchanged", put Profile, "storeProfile", params(UserPath, IdempotencyKey), Profile, ProfileWrite, ProfileItems of ProfileItem }
    post_sleep { "Stores a person's sleep sessions", post Sleep, "storeSleep", params(UserPath, IdempotencyKey), Sleep, SleepWrite, SessionItems of SessionItem }
    post_supplements { "Stores labels of supplements", post Catalogue, "storeSupplements", params(IdempotencyKey), Supplements, SupplementsWrite, LabelItems of LabelItem }
    post_logs { "Stores a person's intake logs", post IntakeLogs, "storeSupplementLogs", params(UserPath, IdempotencyKey), Logs, SupplementsWrite, LogItems of LogItem }
}

fn description(scope: Scope) -> String {
    format!(
        "For service clients with the scope `{}`. Accepts one item or at most 10,000, in at most 64 MiB; \
         nothing is stored if the body is malformed. Each item has its own result, in the order of the \
         items. Sending items again creates no duplicates.",
        scope.as_str()
    )
}

async fn ingest(
    request: HttpRequest,
    payload: Payload,
    state: web::Data<ApiState>,
    (kind, scope): (IngestKind, Scope),
) -> Result<HttpResponse, Problem> {
    let grant = gate::admit(&request, &state, scope).await?;
    // There are no parameters, but a malformed query string is rejected everywhere.
    Parameters::read(request.query_string(), &[])?;
    let layout = layout(&request)?;
    let key = key::read(&request)?;
    let body = spool::receive(&request, payload, &state.ingest.permits).await?;
    let shape = IngestShape { kind, layout, user_id: grant.user_id };
    let once = key.map(|key| key::request(&request, grant.client_id, key, (layout, body.digest())));
    let command = IngestCommand { client_id: grant.client_id, shape };
    let job = Job { state: state.into_inner(), command, once, body, rate: grant.rate };
    let answer = job.run_blocking().await?;
    let status = StatusCode::from_u16(answer.status).map_err(Problem::internal)?;
    Ok(HttpResponse::build(status).content_type("application/json").body(answer.body))
}

/// Returns the layout of the body.
fn layout(request: &HttpRequest) -> Result<IngestLayout, Problem> {
    match media_type(request) {
        Ok(kind) if kind == "application/json" => Ok(IngestLayout::Json),
        Ok(kind) if kind == "application/x-ndjson" => Ok(IngestLayout::Lines),
        Err(problem) if problem.fault() != Fault::UnsupportedMediaType => Err(problem),
        Ok(_) | Err(_) => Err(Problem::new(Fault::UnsupportedMediaType).detail(
            "A body is application/json or application/x-ndjson, in UTF-8, without a content coding.",
        )),
    }
}
