use super::{Patience, receive_in_time};
use crate::problem::{Fault, Problem};
use crate::tests::{FixedClock, MemoryStore, NOW, Parts};
use crate::{Check, HealthCheck, HttpState};
use actix_web::dev;
use actix_web::error::PayloadError;
use actix_web::test::TestRequest;
use actix_web::web::{Bytes, Data, Payload};
use actix_web::{FromRequest as _, HttpResponse};
use application::account::ResumeSession;
use application::import::ImportReport;
use application::ports::storage::test_support::{MockUnitOfWork, PreparedUnitsOfWork};
use application::ports::storage::{Import, MockSessionReader, SessionWithUser};
use application::upload::{BeginUpload, DiscardUpload, UploadLimits};
use domain::form_token::FormToken;
use domain::id::{ImportId, SessionId, UserId};
use domain::import::{FileName, ImportOrigin, ImportState};
use domain::secret::{Secret, SecretBytes, SecretKind};
use domain::session::{AuthenticationMethod, Session, SessionLifetime};
use domain::time::TimeZone;
use domain::user::{Biology, Email, User, UserStatus};
use futures_util::future::join_all;
use futures_util::stream::{self, StreamExt as _};
use std::sync::Arc;
use std::time::Duration;
use uuid::Uuid;

const NEVER: Duration = Duration::from_hours(9);
const AT_ONCE: Duration = Duration::from_millis(1);

fn cookie() -> Secret {
    Secret::from_bytes(SecretKind::Session, &SecretBytes::new([5; 32]))
}

/// A state in which the holder of the cookie is signed in.
fn state() -> Data<HttpState> {
    Data::from(signed_in())
}

fn signed_in() -> Arc<HttpState> {
    let mut sessions = MockSessionReader::new();
    sessions.expect_find_session().returning(|hash| {
        let session = Session {
            id: SessionId::from_uuid(Uuid::nil()),
            user_id: UserId::from_uuid(Uuid::nil()),
            token_hash: *hash,
            method: AuthenticationMethod::Password,
            authenticated_at: NOW,
            last_seen_at: NOW,
        };
        Ok(Some(SessionWithUser {
            session,
            email: Email::parse("sam@example.org").unwrap(),
            user_status: UserStatus::Active,
            home_timezone: TimeZone::UTC,
        }))
    });
    let mut state = Parts::default().build();
    let (store, clock) = (Arc::new(MemoryStore::default()), Arc::new(FixedClock));
    let resume = ResumeSession::new(Arc::new(sessions), store, clock, SessionLifetime::default());
    Arc::get_mut(&mut state).unwrap().pages.resume_session = resume;
    state
}

/// The form up to the first bytes of its file.
fn begun() -> String {
    let part =
        |head: &str, content: &str| format!("--x\r\ncontent-disposition: form-data; {head}\r\n\r\n{content}");
    let cookie = cookie();
    let token = FormToken::of(&cookie);
    let token = part("name=\"form_token\"", token.expose());
    token + "\r\n" + &part("name=\"file\"; filename=\"export.xml\"", "<Health")
}

/// Sends this much of a form, and then nothing more.
async fn upload(state: &Data<HttpState>, sent: String, patience: Patience) -> Result<HttpResponse, Problem> {
    let request = TestRequest::post()
        .uri("/imports")
        .insert_header(("cookie", format!("restwell_session={}", cookie().expose())))
        .insert_header(("content-type", "multipart/form-data; boundary=x"))
        .to_http_request();
    let sent = stream::iter([Ok::<_, PayloadError>(Bytes::from(sent))]).chain(stream::pending());
    let mut body: dev::Payload = dev::Payload::Stream { payload: Box::pin(sent) };
    let body = Payload::from_request(&request, &mut body).await.unwrap();
    receive_in_time(state, &request, body, patience).await
}

#[actix_web::test]
async fn a_form_whose_token_does_not_come_is_given_up() {
    let patience = Patience { before: AT_ONCE, after: NEVER, look: NEVER };
    let whole = begun();
    for length in [0, 5, whole.len() - 30] {
        let sent = whole.get(..length).unwrap().to_owned();
        let problem = upload(&state(), sent, patience).await.unwrap_err();
        assert_eq!(problem.fault(), Fault::RequestTimeout, "{length}");
    }
}

#[actix_web::test]
async fn a_person_has_a_few_slow_uploads_and_the_next_one_is_not_listened_to_for_long() {
    let state = state();
    let patience = Patience { before: NEVER, after: AT_ONCE, look: NEVER };
    let slow = join_all((0..3).map(|_| upload(&state, String::new(), patience)));
    let next = upload(&state, begun(), patience);
    let answer = tokio::select! {
        biased;
        _ = slow => panic!("they wait"),
        answer = next => answer.unwrap(),
    };
    assert_eq!(answer.status().as_u16(), 429);
}

#[actix_web::test]
async fn whoever_sends_many_more_is_refused_before_a_byte_is_read() {
    let state = state();
    let patience = Patience { before: NEVER, after: NEVER, look: NEVER };
    // Three have a place, three are let pass.
    let slow = join_all((0..6).map(|_| upload(&state, String::new(), patience)));
    let next = upload(&state, String::new(), patience);
    let answer = tokio::select! {
        biased;
        _ = slow => panic!("they wait"),
        answer = next => answer.unwrap(),
    };
    assert_eq!(answer.status().as_u16(), 429);
    // What ended gave its places back.
    let patience = Patience { before: AT_ONCE, after: AT_ONCE, look: NEVER };
    let problem = upload(&state, String::new(), patience).await.unwrap_err();
    assert_eq!(problem.fault(), Fault::RequestTimeout);
}

/// A process that is about to stop.
struct Stopping;

impl HealthCheck for Stopping {
    fn checks(&self) -> Vec<Check> {
        Vec::new()
    }

    fn is_draining(&self) -> bool {
        true
    }
}

fn receiving() -> Import {
    Import {
        id: ImportId::from_uuid(Uuid::nil()),
        user_id: Some(UserId::from_uuid(Uuid::nil())),
        origin: ImportOrigin::Upload,
        file_name: FileName::clean("export.xml"),
        format: None,
        digest: None,
        zone: TimeZone::UTC,
        state: ImportState::Receiving,
        size: 0,
        bytes_done: 0,
        started_at: NOW,
        ended_at: None,
        report: ImportReport::default(),
        refusal: None,
    }
}

#[actix_web::test]
async fn an_upload_that_a_stop_ends_is_discarded_before_the_answer() {
    let mut begins = MockUnitOfWork::default();
    begins.users.expect_find().returning(|id| {
        Ok(Some(User {
            id,
            email: Email::parse("sam@example.org").unwrap(),
            home_timezone: TimeZone::UTC,
            created_at: NOW,
            status: UserStatus::Active,
            biology: Biology::default(),
        }))
    });
    begins.imports.expect_list().returning(|_, _, _| Ok(Vec::new()));
    begins.imports.expect_stored_bytes().returning(|| Ok(0));
    begins.imports.expect_insert().once().returning(|_| Ok(()));
    let mut discards = MockUnitOfWork::default();
    discards.imports.expect_find().returning(|_| Ok(Some(receiving())));
    let is_refused = |import: &Import| import.state == ImportState::Refused;
    discards.imports.expect_update().once().withf(is_refused).returning(|_| Ok(true));
    discards.imports.expect_delete_parts().once().returning(|_| Ok(()));
    let units = PreparedUnitsOfWork::new([begins, discards]);
    let (endings, units, clock) = (units.endings(), Arc::new(units), Arc::new(FixedClock));
    let mut state = signed_in();
    let parts = Arc::get_mut(&mut state).unwrap();
    parts.health = Arc::new(Stopping);
    parts.settings.stopping_uploads = AT_ONCE;
    parts.pages.discard_upload = DiscardUpload::new(units.clone(), clock.clone());
    parts.pages.uploads.as_mut().unwrap().begin =
        BeginUpload::new(units, Arc::new(MemoryStore::default()), clock, UploadLimits::default());
    let patience = Patience { before: NEVER, after: NEVER, look: NEVER };
    let problem = upload(&Data::from(state), begun(), patience).await.unwrap_err();
    assert_eq!((problem.fault(), endings.committed()), (Fault::NotReady, 2));
}
