//! What first-party backends write (decisions 9): people, profiles, sleep, the catalogue, logs.
//!
//! Each asks the gate first, which authenticates, authorizes and counts. Then the body is spooled, and the work is
//! done on a thread that may block, to its end even when the caller does not wait for it.

mod answer;
mod claim;
mod delete;
mod erase;
mod gate;
mod job;
mod key;
mod room;
mod spool;

pub(crate) use answer::{IngestAnswer, ItemAnswer};
pub(crate) use erase::ErasureAnswer;
pub(crate) use spool::MAX_WAIT;

use crate::HttpState;
use crate::body::media_type;
use crate::parameter::Parameters;
use crate::problem::{Fault, Problem, rate_limit_headers};
use crate::route::Endpoint;
use actix_web::http::StatusCode;
use actix_web::web::{self, Payload, ServiceConfig};
use actix_web::{HttpRequest, HttpResponse};
use application::access::{AuthorizeIngest, GrantedIngest};
use application::import::ingest::{AnswerOnce, DeleteRecord, IngestCommand, IngestRecords};
use application::ports::ingest_source::{IngestKind, IngestLayout, IngestShape};
use domain::scope::Scope;
use job::Job;
use room::Room;

/// The use cases behind the endpoints that write.
#[expect(missing_docs, reason = "each field is the use case it is named after")]
pub struct IngestUseCases {
    pub authorize: AuthorizeIngest,
    pub records: IngestRecords,
    pub once: AnswerOnce,
    pub delete: DeleteRecord,
    room: Room,
}

impl IngestUseCases {
    /// Takes the use cases.
    pub fn new(
        authorize: AuthorizeIngest,
        records: IngestRecords,
        once: AnswerOnce,
        delete: DeleteRecord,
    ) -> Self {
        Self { authorize, records, once, delete, room: Room::default() }
    }
}

/// Registers what has a path of its own.
pub(crate) fn configure(routes: &mut ServiceConfig) {
    routes
        .service(Endpoint::Users.resource().route(web::post().to(post_users)))
        .service(Endpoint::User.resource().route(web::delete().to(erase::user)))
        .service(Endpoint::Catalogue.resource().route(web::post().to(post_supplements)))
        .service(Endpoint::IntakeLogs.resource().route(web::post().to(post_logs)))
        .service(Endpoint::SleepSession.resource().route(web::delete().to(delete::session)))
        .service(Endpoint::IntakeLog.resource().route(web::delete().to(delete::log)));
}

async fn post_users(
    request: HttpRequest,
    payload: Payload,
    state: web::Data<HttpState>,
) -> Result<HttpResponse, Problem> {
    ingest(request, payload, state, (IngestKind::Users, Scope::UsersWrite)).await
}

/// `PUT` on the path of the profile.
pub(crate) async fn put_profile(
    request: HttpRequest,
    payload: Payload,
    state: web::Data<HttpState>,
) -> Result<HttpResponse, Problem> {
    ingest(request, payload, state, (IngestKind::Profile, Scope::ProfileWrite)).await
}

/// `POST` on the path of sleep sessions.
pub(crate) async fn post_sleep(
    request: HttpRequest,
    payload: Payload,
    state: web::Data<HttpState>,
) -> Result<HttpResponse, Problem> {
    ingest(request, payload, state, (IngestKind::Sleep, Scope::SleepWrite)).await
}

async fn post_supplements(
    request: HttpRequest,
    payload: Payload,
    state: web::Data<HttpState>,
) -> Result<HttpResponse, Problem> {
    ingest(request, payload, state, (IngestKind::Supplements, Scope::SupplementsWrite)).await
}

async fn post_logs(
    request: HttpRequest,
    payload: Payload,
    state: web::Data<HttpState>,
) -> Result<HttpResponse, Problem> {
    ingest(request, payload, state, (IngestKind::Logs, Scope::SupplementsWrite)).await
}

async fn ingest(
    request: HttpRequest,
    payload: Payload,
    state: web::Data<HttpState>,
    (kind, scope): (IngestKind, Scope),
) -> Result<HttpResponse, Problem> {
    let grant = gate::admit(&request, &state, scope).await?;
    let answered = take_in(&request, payload, &state, (kind, grant)).await;
    answered.map_err(|problem| problem.with_rate(grant.rate))
}

async fn take_in(
    request: &HttpRequest,
    payload: Payload,
    state: &web::Data<HttpState>,
    (kind, grant): (IngestKind, GrantedIngest),
) -> Result<HttpResponse, Problem> {
    // No parameter is known here, but a query string that cannot be read is refused everywhere.
    Parameters::read(request.query_string(), &[])?;
    let layout = layout(request)?;
    let key = key::of(request)?;
    let body = spool::receive(request, payload, &state.ingest.room).await?;
    let shape = IngestShape { kind, layout, user_id: grant.user_id };
    let once = key.map(|key| key::request(request, grant.client_id, key, (layout, body.digest())));
    let command = IngestCommand { client_id: grant.client_id, shape };
    let job = Job { state: state.clone().into_inner(), command, once, body, rate: grant.rate };
    let answer = job.run_elsewhere().await?;
    let status = StatusCode::from_u16(answer.status).map_err(Problem::internal)?;
    let mut response = HttpResponse::build(status);
    for header in rate_limit_headers(grant.rate) {
        response.insert_header(header);
    }
    Ok(response.content_type("application/json").body(answer.body))
}

/// Tells how the body is laid out.
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
