//! `POST /imports`: receives a file in parts, with at most one part in memory.

use crate::answer::see_other;
use crate::form::is_same_site;
use crate::imports::{self, ImportsPage};
use crate::view::FormErrors;
use crate::{PageState, meter, person};
use actix_multipart::{Field, Multipart};
use actix_web::http::StatusCode;
use actix_web::web::{Bytes, Data, Payload};
use actix_web::{HttpRequest, HttpResponse};
use application::import::DiscardReason;
use application::session::SignedInPerson;
use application::upload::{PART_BYTES, UploadError, UploadKey, Uploads};
use domain::import::FileName;
use futures_util::StreamExt as _;
use http_adapter::Endpoint;
use http_adapter::problem::{Fault, Problem};
use leading_fields::LeadingFields;
use options::Fields;
use pace::Pace;
use std::time::Duration;

/// Field of the form with the file.
const FILE: &str = "file";
/// Timeout of a pause without data.
const MAX_PAUSE: Duration = Duration::from_secs(30);
/// Timeout of one upload, whatever its rate.
const MAX_TIME: Duration = Duration::from_hours(1);

/// Interval of checking whether the process is about to stop.
const STOP_CHECK_INTERVAL: Duration = Duration::from_millis(250);

/// Timeouts of the phases around the file.
#[derive(Debug, Clone, Copy)]
struct Timeouts {
    /// Time from the head of the request to the head of the file, including the form token.
    before: Duration,
    /// Time for the fields after the file, or for the rest of a rejected file.
    after: Duration,
    /// Waiting time over which the rate of the file is measured.
    rate_interval: Duration,
}

const TIMEOUTS: Timeouts = Timeouts {
    before: Duration::from_secs(5),
    after: Duration::from_secs(5),
    rate_interval: Duration::from_secs(30),
};

/// Receives a file. The form token precedes the file, so that nothing of a foreign form is stored
/// (security.md T27). No middleware times the request out, because a file may take long. Uploads therefore
/// have separate permits, and a limit per person from the moment the person is known (ADR 28).
pub(crate) async fn receive(
    state: Data<PageState>,
    request: HttpRequest,
    body: Payload,
) -> Result<HttpResponse, Problem> {
    let receiving = receive_in_time(&state, &request, body, TIMEOUTS);
    let taken = tokio::time::timeout(MAX_TIME, receiving).await;
    taken.unwrap_or_else(|_| Err(too_slow()))
}

fn too_slow() -> Problem {
    Problem::new(Fault::RequestTimeout)
}

async fn receive_in_time(
    state: &Data<PageState>,
    request: &HttpRequest,
    body: Payload,
    timeouts: Timeouts,
) -> Result<HttpResponse, Problem> {
    let person = person::signed_in(request, state).await?;
    let person = person.ok_or_else(|| Problem::new(Fault::ForeignForm))?;
    if !is_same_site(request.headers(), &state.http.settings) {
        return Err(Problem::new(Fault::ForeignForm));
    }
    let permit = state.http.admission.begin_upload(person.user_id, state.http.settings.max_open_uploads);
    if matches!(permit, Err(None)) {
        return rejected(state, &person, Rejection::TooManyOpen).await;
    }
    let mut form = Multipart::new(request.headers(), body);
    let before = tokio::time::timeout(timeouts.before, leading_fields::read(&mut form, &person)).await;
    let LeadingFields { file, fields } = before.unwrap_or_else(|_| Err(too_slow()))?;
    let uploads = state.uploads.as_ref().ok_or_else(|| Problem::new(Fault::NotFound))?;
    let Some(mut file) = file else { return rejected(state, &person, Rejection::NoFile).await };
    let is_admitted = permit.is_ok();
    if is_admitted {
        file.pace = Some(Pace::new(state.http.elapsed_time.clone(), timeouts.rate_interval));
    }
    let mut unread = UnreadForm { form, file: Some(file), fields, after: timeouts.after };
    let stored = if is_admitted {
        store_or_discard(state, uploads, &person, &mut unread).await
    } else {
        Err(ReceiveError::Rejected(Rejection::TooManyOpen))
    };
    match stored {
        Ok(key) => {
            // Reads to the end of the body, so that the connection can be reused.
            let _ = tokio::time::timeout(timeouts.after, next_field(&mut unread.form)).await;
            Ok(see_other(&format!("{}/{}", Endpoint::Imports.path(), key.id)))
        }
        Err(ReceiveError::Problem(problem)) => Err(problem),
        Err(ReceiveError::Rejected(rejection)) => {
            // Browsers show a response only once they have sent everything. A longer rest loses the
            // connection.
            if let Some(file) = &mut unread.file {
                let draining = drain(file, state.http.settings.max_upload_bytes);
                let _ = tokio::time::timeout(timeouts.after, draining).await;
            }
            rejected(state, &person, rejection).await
        }
    }
}

/// Unread rest of a form.
struct UnreadForm {
    form: Multipart,
    /// The file, until its end.
    file: Option<IncomingField>,
    /// Other fields received so far.
    fields: Fields,
    /// Time for the fields after the file.
    after: Duration,
}

/// Field that is being received. It is not polled after its end, because actix-multipart would panic.
struct IncomingField {
    field: Field,
    has_ended: bool,
    /// Minimum rate, for a file that is stored.
    pace: Option<Pace>,
}

async fn next_field(form: &mut Multipart) -> Result<Option<IncomingField>, Problem> {
    let next = tokio::time::timeout(MAX_PAUSE, form.next()).await;
    let next = next.map_err(|_| too_slow())?;
    let field = next.transpose().map_err(|_| Problem::new(Fault::InvalidForm))?;
    Ok(field.map(|field| IncomingField { field, has_ended: false, pace: None }))
}

async fn next_bytes(incoming: &mut IncomingField) -> Result<Option<Bytes>, Problem> {
    if incoming.has_ended {
        return Ok(None);
    }
    let asked = incoming.pace.as_ref().map(Pace::time);
    let next = tokio::time::timeout(MAX_PAUSE, incoming.field.next()).await;
    let next = next.map_err(|_| too_slow())?;
    let length = next.as_ref().and_then(|next| next.as_ref().ok()).map_or(0, Bytes::len);
    if let (Some(pace), Some(asked)) = (&mut incoming.pace, asked)
        && pace.is_too_slow(pace.time().saturating_sub(asked), length)
    {
        return Err(too_slow());
    }
    // After an error there is nothing left to read either.
    incoming.has_ended = !matches!(next, Some(Ok(_)));
    next.transpose().map_err(|_| Problem::new(Fault::InvalidForm))
}

/// Reads and discards the rest of a field, up to the maximum size of a file.
async fn drain(field: &mut IncomingField, most: u64) {
    let mut passed = 0_u64;
    while let Ok(Some(bytes)) = next_bytes(field).await {
        passed = passed.saturating_add(bytes.len() as u64);
        if passed > most {
            break;
        }
    }
}

/// Rejection that the person can resolve.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Rejection {
    NoFile,
    Empty,
    TooLarge,
    TooManyOpen,
    Cancelled,
    InvalidStart,
    NoSpace,
}

enum ReceiveError {
    Rejected(Rejection),
    Problem(Problem),
}

impl From<Problem> for ReceiveError {
    fn from(problem: Problem) -> Self {
        Self::Problem(problem)
    }
}

impl From<UploadError> for ReceiveError {
    fn from(error: UploadError) -> Self {
        match error {
            UploadError::TooManyOpen => Self::Rejected(Rejection::TooManyOpen),
            UploadError::NoSpace => Self::Rejected(Rejection::NoSpace),
            UploadError::TooLarge => Self::Rejected(Rejection::TooLarge),
            UploadError::Empty => Self::Rejected(Rejection::Empty),
            // Cancelled on another page, or by the operator.
            UploadError::Gone => Self::Rejected(Rejection::Cancelled),
            UploadError::UnknownUser => Problem::new(Fault::ForeignForm).into(),
            UploadError::Misplaced => Problem::new(Fault::InvalidForm).into(),
            UploadError::Storage(error) => Self::Problem(error.into()),
        }
    }
}

/// Stores the whole file or nothing.
async fn store_or_discard(
    state: &Data<PageState>,
    uploads: &Uploads,
    person: &SignedInPerson,
    unread: &mut UnreadForm,
) -> Result<UploadKey, ReceiveError> {
    let mut unfinished = UploadGuard { state: state.clone(), key: None };
    let stored = tokio::select! {
        stored = store(uploads, person, unread, &mut unfinished) => stored,
        () = stopping(state) => Err(ReceiveError::Problem(Problem::new(Fault::NotReady))),
    };
    if stored.is_err()
        && let Some(key) = unfinished.key.take()
    {
        // Before the response: a process that is about to stop waits for responses.
        discard(state, key).await;
    }
    stored
}

/// Completes when uploads must end because the process is about to stop.
async fn stopping(state: &PageState) {
    while !state.http.health.is_draining() {
        tokio::time::sleep(STOP_CHECK_INTERVAL).await;
    }
    tokio::time::sleep(state.http.settings.stopping_uploads).await;
}

/// Stores the parts as they arrive.
async fn store(
    uploads: &Uploads,
    person: &SignedInPerson,
    unread: &mut UnreadForm,
    unfinished: &mut UploadGuard,
) -> Result<UploadKey, ReceiveError> {
    let file = unread.file.as_mut().ok_or(ReceiveError::Rejected(Rejection::NoFile))?;
    let name = file.field.content_disposition().and_then(|disposition| disposition.get_filename());
    let name = name.unwrap_or_default().to_owned();
    let mut part = next_bytes(file).await?.map(Vec::from).unwrap_or_default();
    if name.is_empty() && part.is_empty() {
        return Err(ReceiveError::Rejected(Rejection::NoFile));
    }
    meter::import_bytes(part.len());
    let key = uploads.begin(person.user_id, FileName::clean(&name)).await?;
    unfinished.key = Some(key);
    let mut position = 0;
    loop {
        while part.len() >= PART_BYTES {
            let rest = part.split_off(PART_BYTES);
            uploads.add_part(key, position, &part).await?;
            position += 1;
            part = rest;
        }
        match next_bytes(file).await? {
            Some(bytes) => {
                meter::import_bytes(bytes.len());
                part.extend_from_slice(&bytes);
            }
            None => break,
        }
    }
    if !part.is_empty() {
        uploads.add_part(key, position, &part).await?;
    }
    unread.file = None;
    unread.fields.read_rest(&mut unread.form, unread.after).await?;
    uploads.finish(key, unread.fields.parse()?).await?;
    unfinished.key = None;
    Ok(key)
}

/// Guard of an unfinished upload: its parts are deleted when the request ends early.
struct UploadGuard {
    state: Data<PageState>,
    key: Option<UploadKey>,
}

impl Drop for UploadGuard {
    fn drop(&mut self) {
        let Some(key) = self.key.take() else { return };
        let Ok(runtime) = tokio::runtime::Handle::try_current() else { return };
        let state = self.state.clone();
        runtime.spawn(async move { discard(&state, key).await });
    }
}

/// Deletes the received parts. After a failure, housekeeping deletes them as stale.
async fn discard(state: &PageState, key: UploadKey) {
    if let Err(error) = state.imports.discard(key.user_id, key.id, DiscardReason::Interrupted).await {
        tracing::warn!(%error, "cannot delete the parts of an aborted upload");
    }
}

async fn rejected(
    state: &PageState,
    person: &SignedInPerson,
    rejection: Rejection,
) -> Result<HttpResponse, Problem> {
    let (status, text) = match rejection {
        Rejection::NoFile => (StatusCode::UNPROCESSABLE_ENTITY, "Choose a file.".to_owned()),
        Rejection::Empty => (StatusCode::UNPROCESSABLE_ENTITY, "The file is empty.".to_owned()),
        Rejection::TooLarge => (
            StatusCode::PAYLOAD_TOO_LARGE,
            format!(
                "The file is larger than the limit of {} MiB. Export a shorter period.",
                imports::mebibytes(state)
            ),
        ),
        Rejection::TooManyOpen => {
            let text = "You have other uploads in progress. Wait for them to finish, or cancel one below.";
            (StatusCode::TOO_MANY_REQUESTS, text.to_owned())
        }
        Rejection::Cancelled => {
            let text = "The upload was cancelled before it was complete. Nothing was kept.";
            (StatusCode::CONFLICT, text.to_owned())
        }
        Rejection::InvalidStart => (StatusCode::UNPROCESSABLE_ENTITY, recording::INVALID_START.to_owned()),
        Rejection::NoSpace => {
            let text = "This server has no room for more files right now. Try again in an hour.";
            (StatusCode::SERVICE_UNAVAILABLE, text.to_owned())
        }
    };
    let field = if rejection == Rejection::InvalidStart { recording::START } else { FILE };
    let asks_start = rejection == Rejection::InvalidStart;
    ImportsPage { errors: FormErrors::field(field, text), status, asks_start }.answer(state, person).await
}

mod leading_fields;
mod options;
mod pace;
mod recording;
#[cfg(test)]
mod tests;
