//! `/imports`: uploaded files, their progress, and undo.

pub(crate) mod profile;
#[cfg(test)]
pub(crate) mod sample;
pub(crate) mod upload;
pub(crate) mod view;

use crate::answer::{page, see_other};
use crate::person::{self, Destination};
use crate::person_form::PersonForm;
use crate::view::{FormErrors, profile_field};
use crate::{PageState, moment, page_with_form, query};
use actix_web::http::StatusCode;
use actix_web::web::{Data, Path, ServiceConfig, get, post};
use actix_web::{HttpRequest, HttpResponse};
use application::import::{
    Counts, DiscardReason, Import, ImportError, ImportReport, KeptItem, KeptReason, KeptRecord, Rejection,
    ReportNote, UndoCounts, Undone,
};
use application::session::SignedInPerson;
use application::upload::UploadFormat;
use domain::id::ImportId;
use domain::import::{Canceller, ImportOrigin, ImportState};
use domain::time::TimeZone;
use http_adapter::Endpoint;
use http_adapter::problem::{Fault, Problem};
use profile::view::{ImportProfile, ProfileLine};
use std::time::Duration;
use view::{ImportCounts, ImportLine, ImportPhase, ImportRemark, KeptLine, UndoLine};

/// Maximum number of imports in the list.
const MAX_LISTED: usize = 100;
/// Maximum time that a request waits for an undo.
const MAX_WAIT: Duration = Duration::from_secs(10);

/// Registers the pages.
pub(crate) fn configure(routes: &mut ServiceConfig) {
    routes
        .service(page_with_form(Endpoint::Imports, show, upload::receive))
        .service(Endpoint::UndoImport.resource().route(post().to(undo)))
        .service(Endpoint::ApplyProfile.resource().route(post().to(profile::apply)))
        .service(Endpoint::Import.resource().route(get().to(show_one)));
}

/// Shows the imports and the upload form.
pub(crate) async fn show(state: Data<PageState>, request: HttpRequest) -> Result<HttpResponse, Problem> {
    let Some(person) = person::signed_in(&request, &state).await? else {
        return Ok(see_other(&Destination::Imports.sign_in()));
    };
    let asks_start = query::read(&request, &["recording"])?.get("recording") == Some("start");
    ImportsPage { errors: FormErrors::none(), status: StatusCode::OK, asks_start }
        .answer(&state, &person)
        .await
}

/// Shows the progress and result of one import.
pub(crate) async fn show_one(
    state: Data<PageState>,
    request: HttpRequest,
    id: Path<String>,
) -> Result<HttpResponse, Problem> {
    let Some(person) = person::signed_in(&request, &state).await? else {
        return Ok(see_other(&Destination::Imports.sign_in()));
    };
    let notice = notice(query::read(&request, &["done"])?.get("done"));
    let id = ImportId::parse(&id).map_err(|_| Problem::new(Fault::NotFound))?;
    let found = state.imports.find(person.user_id, id).await?;
    let import = found.ok_or_else(|| Problem::new(Fault::NotFound))?;
    let ImportReport { notes_total, left_out_labels, .. } = import.report;
    let rejected = import.report.rejected.iter().map(rejection).collect();
    let notes = import.report.notes.iter().map(noted).collect();
    let rejected_total = import.report.rejected_total;
    let profile = profile(&state, &import).await?;
    let undone = (import.state == ImportState::Undone && !import.is_cancelled())
        .then(|| undone(&import.undone, person.home_timezone));
    let view = view::ImportPage {
        person: person::to_view(&person),
        notice,
        import: line(import, person.home_timezone),
        profile,
        rejected,
        rejected_total,
        notes,
        notes_total,
        left_out_labels,
        undone,
    };
    page(StatusCode::OK, &view)
}

fn notice(done: Option<&str>) -> Option<String> {
    let text = match done? {
        "undone" => "Undone. What this import added was removed, and what it replaced was restored.",
        "partly" => {
            "Partly undone. Records that have changed since then or are in use stay as they are and are listed below."
        }
        "soon" => "This import is being undone. You can leave this page; it continues in the background.",
        "cancelled" => "Cancelled. Nothing from the file was kept.",
        "shared" => {
            "The operator imported this file, and it contains supplement labels that everyone shares. Ask the operator \
             to undo it."
        }
        "late" => "It is too late to undo this import. Imports can be undone for 30 days.",
        "profile" => "Your profile has been updated. Undoing this import restores the old values.",
        "profile-same" => {
            "Your profile was not changed. You selected nothing, or the values were already the same."
        }
        "profile-closed" => "Your profile was not changed. This import has not finished, or it was undone.",
        _ => return None,
    };
    Some(text.to_owned())
}

/// Undoes an import; one that has not started is cancelled.
pub(crate) async fn undo(state: Data<PageState>, sent: PersonForm) -> Result<HttpResponse, Problem> {
    let PersonForm { person, form, .. } = sent;
    let id = form.parse("import", |id| ImportId::parse(id).ok())?;
    let reason = DiscardReason::Cancelled(Canceller::Person);
    if state.imports.discard(person.user_id, id, reason).await? {
        return Ok(see_other(&address(id, "?done=cancelled")));
    }
    // The undo continues after the request or its timeout ends.
    let (undoing, user_id) = (state.clone(), person.user_id);
    let undoing = tokio::spawn(async move { undoing.imports.undo(id, Some(user_id)).await });
    let Ok(undone) = tokio::time::timeout(MAX_WAIT, undoing).await else {
        return Ok(see_other(&address(id, "?done=soon")));
    };
    let done = match undone.map_err(Problem::internal)? {
        Ok(undone) if undone.counts.kept > 0 => "?done=partly",
        Ok(_) => "?done=undone",
        Err(error) => rejected(error)?,
    };
    Ok(see_other(&address(id, done)))
}

/// Returns the query of the page that shows why a form had no effect.
pub(crate) fn rejected(error: ImportError) -> Result<&'static str, Problem> {
    match error {
        ImportError::Unknown => Err(Problem::new(Fault::NotFound)),
        // The page itself shows that there is nothing to undo.
        ImportError::AlreadyUndone | ImportError::NothingStored => Ok(""),
        ImportError::TooOld => Ok("?done=late"),
        ImportError::NotOwned => Ok("?done=shared"),
        ImportError::NotDone => Ok("?done=profile-closed"),
        ImportError::Storage(error) => Err(error.into()),
    }
}

/// Loads the profile part of the page.
async fn profile(state: &PageState, import: &Import) -> Result<ImportProfile, Problem> {
    let proposed = state.imports.proposals(import).await?;
    let is_undone = import.state == ImportState::Undone;
    let changed = import.report.profile.iter().filter(|change| change.is_applied && !is_undone);
    Ok(ImportProfile {
        changed: changed.map(ProfileLine::new).collect(),
        proposed: proposed.iter().map(ProfileLine::new).collect(),
    })
}

pub(crate) fn address(id: ImportId, query: &str) -> String {
    format!("{}/{id}{query}", Endpoint::Imports.path())
}

/// Returns the maximum size of a file in MiB.
pub(crate) fn mebibytes(state: &PageState) -> u64 {
    state.http.settings.max_upload_bytes >> 20
}

/// Contents of the list.
pub(crate) struct ImportsPage {
    pub(crate) errors: FormErrors,
    pub(crate) status: StatusCode,
    /// Whether the form asks for the start of a recording.
    pub(crate) asks_start: bool,
}

impl ImportsPage {
    pub(crate) async fn answer(
        self,
        state: &PageState,
        person: &SignedInPerson,
    ) -> Result<HttpResponse, Problem> {
        let imports = state.imports.list(Some(person.user_id), MAX_LISTED).await?;
        let zone = person.home_timezone;
        let view = view::Imports {
            person: person::to_view(person),
            errors: self.errors,
            most: state.uploads.is_some().then(|| mebibytes(state)),
            uploads: UploadFormat::list(&state.upload_formats),
            zone: zone.name().to_owned(),
            asks_start: self.asks_start,
            imports: imports.into_iter().map(|import| line(import, zone)).collect(),
        };
        page(self.status, &view)
    }
}

fn line(import: Import, zone: TimeZone) -> ImportLine {
    let is_cancelled = import.is_cancelled();
    let phase = if is_cancelled { ImportPhase::Cancelled } else { phase(import.state, import.bytes_done) };
    let passed = if phase == ImportPhase::Checking { import.bytes_checked } else { import.bytes_done };
    let ImportReport { sessions, supplements, logs, profile_changed, rejected_total, .. } = import.report;
    let UndoCounts { removed, restored, kept } = import.undone.counts;
    let needs_start = import.needs_start();
    ImportLine {
        id: import.id.to_string(),
        file: import.file_name.as_str().to_owned(),
        format: import.format,
        phase,
        percent: percent(passed, import.size),
        refusal: import.refusal.or_else(|| import.cancelled_by.map(|by| cancelled(by).to_owned())),
        undone: [removed, restored, kept],
        needs_start,
        by_operator: import.origin == ImportOrigin::Command,
        started: moment::to_the_minute(import.started_at, zone),
        ended: import.ended_at.map(|at| moment::to_the_minute(at, zone)),
        counts: vec![
            counts("Nights", sessions),
            counts("Intakes", logs),
            counts("Supplement labels", supplements),
        ],
        profile_changed,
        rejected: rejected_total,
    }
}

const fn cancelled(by: Canceller) -> &'static str {
    match by {
        Canceller::Person => "you cancelled the upload",
        Canceller::Operator => "the operator cancelled the import",
    }
}

fn undone(undone: &Undone, zone: TimeZone) -> UndoLine {
    let Undone { counts: UndoCounts { removed, restored, kept }, kept: records } = undone;
    let records = records.iter().map(|record| kept_line(record, zone)).collect();
    UndoLine { removed: *removed, restored: *restored, kept: *kept, records }
}

fn kept_line(record: &KeptRecord, zone: TimeZone) -> KeptLine {
    let KeptRecord { what, at, why } = record;
    let what = match what {
        KeptItem::Session(_) => "Night".to_owned(),
        KeptItem::Log(_) => "Intake".to_owned(),
        KeptItem::Label(_) => "Label of a supplement".to_owned(),
        KeptItem::Profile(field) => profile_field::words(*field).label.to_owned(),
    };
    let (why, by) = match why {
        KeptReason::ChangedBy(id) => ("changed later by", Some(id.to_string())),
        KeptReason::Changed => ("changed since", None),
        KeptReason::Deleted => ("deleted since", None),
        KeptReason::InUse => ("in use, or replaced by another record", None),
    };
    KeptLine { what, at: at.map(|at| moment::to_the_minute(at, zone)), why, by }
}

const fn phase(state: ImportState, bytes_done: u64) -> ImportPhase {
    match state {
        ImportState::Receiving => ImportPhase::Receiving,
        ImportState::Waiting => ImportPhase::Waiting,
        ImportState::Running if bytes_done == 0 => ImportPhase::Checking,
        ImportState::Running => ImportPhase::Storing,
        ImportState::Done => ImportPhase::Done,
        ImportState::Rejected => ImportPhase::Rejected,
        ImportState::Undoing => ImportPhase::Undoing,
        ImportState::Undone => ImportPhase::Undone,
    }
}

fn percent(done: u64, size: u64) -> u64 {
    done.saturating_mul(100).checked_div(size).unwrap_or_default().min(100)
}

fn counts(kind: &'static str, counts: Counts) -> ImportCounts {
    let Counts { new, updated, unchanged } = counts;
    ImportCounts { kind, new, updated, unchanged }
}

fn rejection(Rejection { place, reason }: &Rejection) -> ImportRemark {
    ImportRemark { place: place.clone(), reason: reason.clone() }
}

fn noted(note: &ReportNote) -> ImportRemark {
    ImportRemark { place: note.places(), reason: note.text() }
}
