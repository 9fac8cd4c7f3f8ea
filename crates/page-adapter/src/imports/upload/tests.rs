use super::{Timeouts, receive_in_time};
use crate::PageState;
use crate::tests::{NOW, page_state};
use actix_web::dev;
use actix_web::error::PayloadError;
use actix_web::test::TestRequest;
use actix_web::web::{Bytes, Data, Payload};
use actix_web::{FromRequest as _, HttpResponse};
use application::import::Import;
use application::ports::storage::test_support::{Endings, MockUnitOfWork, PreparedUnitsOfWork};
use application::ports::storage::{MockSessionReader, SessionWithUser};
use application::session::Sessions;
use domain::form_token::FormToken;
use domain::id::{SessionId, UserId};
use domain::import::ImportState;
use domain::secret::{Secret, SecretBytes, SecretKind};
use domain::session::{AuthenticationMethod, Session};
use domain::time::TimeZone;
use domain::user::{Biology, Email, User, UserStatus};
use futures_util::future::join_all;
use futures_util::stream::{self, StreamExt as _};
use http_adapter::problem::{Fault, Problem};
use http_adapter::test_support::{FixedHealth, http_state};
use http_adapter::{HttpSettings, HttpState};
use std::sync::{Arc, Mutex};
use std::time::Duration;
use uuid::Uuid;

const NEVER: Duration = Duration::from_hours(9);
const AT_ONCE: Duration = Duration::from_millis(1);
const NO_TIMEOUTS: Timeouts = Timeouts { before: NEVER, after: NEVER, rate_interval: NEVER };

fn cookie() -> Secret {
    Secret::from_bytes(SecretKind::Session, &SecretBytes::new([5; 32]))
}

/// Returns a state in which the owner of the cookie is signed in.
fn state() -> Data<PageState> {
    Data::from(signed_in())
}

fn signed_in() -> Arc<PageState> {
    let mut sessions = MockSessionReader::new();
    sessions.expect_find_session().returning(|hash| {
        let session = Session {
            id: SessionId::from_uuid(Uuid::nil()),
            user_id: UserId::from_uuid(Uuid::nil()),
            token_hash: *hash,
            method: AuthenticationMethod::Password,
            authenticated_at: NOW,
            last_seen_at: NOW,
            first_seen_at: NOW,
            device: None,
            address: None,
        };
        Ok(Some(SessionWithUser {
            session,
            email: Email::parse("sam@example.org").unwrap(),
            user_status: UserStatus::Active,
            home_timezone: TimeZone::UTC,
        }))
    });
    let state = page_state(HttpSettings::default());
    let sessions = Sessions { reader: Arc::new(sessions), ..state.sessions };
    Arc::new(PageState { sessions, ..state })
}

/// Returns a form up to the first bytes of its file.
fn form_up_to_the_file() -> String {
    let part =
        |head: &str, content: &str| format!("--x\r\ncontent-disposition: form-data; {head}\r\n\r\n{content}");
    let cookie = cookie();
    let token = FormToken::derive(&cookie);
    let token = part("name=\"form_token\"", token.expose());
    token + "\r\n" + &part("name=\"file\"; filename=\"export.xml\"", "<Health")
}

/// Sends the start of a form, and then nothing more.
async fn upload(state: &Data<PageState>, sent: String, timeouts: Timeouts) -> Result<HttpResponse, Problem> {
    let request = TestRequest::post()
        .uri("/imports")
        .insert_header(("cookie", format!("restwell_session={}", cookie().expose())))
        .insert_header(("content-type", "multipart/form-data; boundary=x"))
        .to_http_request();
    let sent = stream::iter([Ok::<_, PayloadError>(Bytes::from(sent))]).chain(stream::pending());
    let mut body: dev::Payload = dev::Payload::Stream { payload: Box::pin(sent) };
    let body = Payload::from_request(&request, &mut body).await.unwrap();
    receive_in_time(state, &request, body, timeouts).await
}

#[actix_web::test]
async fn a_form_whose_token_does_not_arrive_times_out() {
    let timeouts = Timeouts { before: AT_ONCE, ..NO_TIMEOUTS };
    let whole = form_up_to_the_file();
    for length in [0, 5, whole.len() - 30] {
        let sent = whole.get(..length).unwrap().to_owned();
        let problem = upload(&state(), sent, timeouts).await.unwrap_err();
        assert_eq!(problem.fault(), Fault::RequestTimeout, "{length}");
    }
}

#[actix_web::test]
async fn a_person_has_a_few_slow_uploads_and_further_ones_are_cut_short() {
    let state = state();
    let timeouts = Timeouts { after: AT_ONCE, ..NO_TIMEOUTS };
    let slow = join_all((0..3).map(|_| upload(&state, String::new(), timeouts)));
    let next = upload(&state, form_up_to_the_file(), timeouts);
    let answer = tokio::select! {
        biased;
        _ = slow => panic!("they wait"),
        answer = next => answer.unwrap(),
    };
    assert_eq!(answer.status().as_u16(), 429);
}

#[actix_web::test]
async fn many_more_uploads_are_refused_before_a_byte_is_read() {
    let state = state();
    // Three hold a permit; three more are read without being stored.
    let slow = join_all((0..6).map(|_| upload(&state, String::new(), NO_TIMEOUTS)));
    let next = upload(&state, String::new(), NO_TIMEOUTS);
    let answer = tokio::select! {
        biased;
        _ = slow => panic!("they wait"),
        answer = next => answer.unwrap(),
    };
    assert_eq!(answer.status().as_u16(), 429);
    // Ended uploads returned their permits.
    let timeouts = Timeouts { before: AT_ONCE, after: AT_ONCE, ..NO_TIMEOUTS };
    let problem = upload(&state, String::new(), timeouts).await.unwrap_err();
    assert_eq!(problem.fault(), Fault::RequestTimeout);
}

/// The only upload of a store, and its parts.
#[derive(Default)]
struct Stored {
    import: Mutex<Option<Import>>,
    parts: Mutex<Vec<Vec<u8>>>,
    /// How often parts were deleted, and how often an import was changed.
    changes: Mutex<(u32, u32)>,
    /// Whether the person cancels the upload as it begins.
    is_cancelled: bool,
}

impl Stored {
    fn import(&self) -> Import {
        self.import.lock().unwrap().clone().unwrap()
    }

    #[track_caller]
    fn assert_discarded(&self) {
        assert_eq!(self.import().state, ImportState::Rejected);
        assert!(self.parts.lock().unwrap().is_empty());
        assert_eq!(self.changes.lock().unwrap().0, 1);
    }

    /// Returns a unit of work that writes to the store directly.
    fn unit(self: &Arc<Self>) -> MockUnitOfWork {
        let mut unit = MockUnitOfWork::default();
        unit.users.expect_find().returning(|id| {
            Ok(Some(User {
                id,
                email: Email::parse("sam@example.org").unwrap(),
                home_timezone: TimeZone::UTC,
                created_at: NOW,
                status: UserStatus::Active,
                biology: Biology::default(),
            }))
        });
        unit.imports.expect_list().returning(|_, _, _| Ok(Vec::new()));
        unit.uploads.expect_stored_bytes().returning(|| Ok(0));
        let stored = Arc::clone(self);
        unit.imports.expect_find().returning(move |_| Ok(stored.import.lock().unwrap().clone()));
        let stored = Arc::clone(self);
        unit.imports.expect_insert().returning(move |import| {
            let state = if stored.is_cancelled { ImportState::Rejected } else { import.state };
            let earlier = stored.import.lock().unwrap().replace(Import { state, ..import.clone() });
            assert!(earlier.is_none());
            Ok(())
        });
        let stored = Arc::clone(self);
        unit.imports.expect_update().returning(move |import| {
            stored.changes.lock().unwrap().1 += 1;
            Ok(stored.import.lock().unwrap().replace(import.clone()).is_some())
        });
        let stored = Arc::clone(self);
        unit.uploads.expect_add_part().returning(move |_, _, part| {
            stored.parts.lock().unwrap().push(part.to_vec());
            Ok(())
        });
        let stored = Arc::clone(self);
        unit.uploads.expect_delete_parts().returning(move |_| {
            stored.changes.lock().unwrap().0 += 1;
            stored.parts.lock().unwrap().clear();
            Ok(())
        });
        unit
    }
}

/// Returns a state with this store and this number of transactions.
fn state_of(stored: &Arc<Stored>, transactions: usize) -> (Arc<PageState>, Arc<Endings>) {
    let units = PreparedUnitsOfWork::new((0..transactions).map(|_| stored.unit()));
    let (endings, units) = (units.endings(), Arc::new(units));
    let mut state = signed_in();
    let parts = Arc::get_mut(&mut state).unwrap();
    parts.imports.store.units = units.clone();
    parts.uploads.as_mut().unwrap().store.units = units;
    (state, endings)
}

#[actix_web::test]
async fn an_upload_ended_by_a_stop_is_discarded_before_the_response() {
    let stored = Arc::default();
    let (mut state, endings) = state_of(&stored, 2);
    let parts = Arc::get_mut(&mut state).unwrap();
    let settings = HttpSettings { stopping_uploads: AT_ONCE, ..HttpSettings::default() };
    let health = Arc::new(FixedHealth { is_draining: true, ..FixedHealth::default() });
    parts.http = Arc::new(HttpState { health, ..http_state(settings) });
    let problem = upload(&Data::from(state), form_up_to_the_file(), NO_TIMEOUTS).await.unwrap_err();
    assert_eq!((problem.fault(), endings.committed()), (Fault::NotReady, 2));
    stored.assert_discarded();
}

async fn status_and_text(answer: HttpResponse) -> (u16, String) {
    let status = answer.status().as_u16();
    let body = actix_web::body::to_bytes(answer.into_body()).await.unwrap_or_default();
    (status, String::from_utf8(body.to_vec()).unwrap())
}

#[actix_web::test]
async fn an_upload_cancelled_while_it_arrives_is_reported_as_cancelled() {
    let stored = Arc::new(Stored { is_cancelled: true, ..Stored::default() });
    let (state, endings) = state_of(&stored, 3);
    let timeouts = Timeouts { after: AT_ONCE, ..NO_TIMEOUTS };
    let sent = form_up_to_the_file() + "\r\n--x--\r\n";
    let (status, text) = status_and_text(upload(&Data::from(state), sent, timeouts).await.unwrap()).await;
    // Finding nothing to discard ends with a commit.
    assert_eq!((status, endings.committed()), (409, 2));
    assert_eq!(*stored.changes.lock().unwrap(), (0, 0));
    assert!(stored.parts.lock().unwrap().is_empty());
    assert!(text.contains("The upload was cancelled before it was complete"), "{text}");
}

/// Returns a form with these fields, each with its head and content.
fn form(fields: &[(&str, &str)]) -> String {
    let part = |(head, content): &(&str, &str)| {
        format!("--x\r\ncontent-disposition: form-data; {head}\r\n\r\n{content}\r\n")
    };
    fields.iter().map(part).collect::<String>() + "--x--\r\n"
}

#[actix_web::test]
async fn the_recording_start_may_precede_the_file_and_the_token() {
    let cookie = cookie();
    let token = FormToken::derive(&cookie);
    let token = ("name=\"form_token\"", token.expose());
    let start = ("name=\"recording_start\"", "2026-01-10T22:30");
    let file = ("name=\"file\"; filename=\"scored.txt\"", "0\n2\n3\n");
    for fields in [[token, start, file], [start, token, file], [token, file, start]] {
        let stored = Arc::default();
        let (state, endings) = state_of(&stored, 3);
        let answer = upload(&Data::from(state), form(&fields), NO_TIMEOUTS).await.unwrap();
        assert_eq!((answer.status().as_u16(), endings.committed()), (303, 3));
        let Import { state, size, recording_start, .. } = stored.import();
        assert_eq!((state, size), (ImportState::Waiting, 6));
        assert_eq!(recording_start.unwrap().to_rfc3339(), "2026-01-10T22:30:00+00:00");
        assert_eq!(*stored.parts.lock().unwrap(), [b"0\n2\n3\n"]);
    }
}

#[actix_web::test]
async fn the_profile_checkbox_may_be_anywhere_and_only_yes_ticks_it() {
    let cookie = cookie();
    let token = FormToken::derive(&cookie);
    let token = ("name=\"form_token\"", token.expose());
    let file = ("name=\"file\"; filename=\"export.xml\"", "<Health");
    let (start, tick) = (("name=\"recording_start\"", ""), "name=\"overwrite_profile\"");
    let long = "yes".repeat(100);
    for (fields, is_ticked) in [
        (vec![token, file, start, (tick, "yes")], true),
        (vec![token, file, ("name=\"other\"", "1"), (tick, "yes"), start], true),
        (vec![(tick, "yes"), token, file], true),
        (vec![token, file, start], false),
        (vec![token, file, (tick, "no")], false),
        (vec![token, file, (tick, &long)], false),
    ] {
        let stored = Arc::default();
        let (state, endings) = state_of(&stored, 3);
        let answer = upload(&Data::from(state), form(&fields), NO_TIMEOUTS).await.unwrap();
        assert_eq!((answer.status().as_u16(), endings.committed()), (303, 3), "{fields:?}");
        assert_eq!(stored.import().overwrite_profile, is_ticked, "{fields:?}");
    }
}

#[actix_web::test]
async fn a_file_before_the_token_is_a_foreign_form_and_so_is_one_without_it() {
    let (file, start) = (("name=\"file\"; filename=\"a\"", "0"), ("name=\"recording_start\"", ""));
    let cookie = cookie();
    let token = FormToken::derive(&cookie);
    let token = ("name=\"form_token\"", token.expose());
    let long = "x".repeat(300);
    for fields in [
        vec![file, token],
        vec![start, file],
        vec![start],
        vec![("name=\"recording_start\"", &long), token, file],
    ] {
        let problem = upload(&state(), form(&fields), NO_TIMEOUTS).await.unwrap_err();
        assert_eq!(problem.fault(), Fault::ForeignForm, "{fields:?}");
    }
    let many = [vec![token], vec![start; 9], vec![file]].concat();
    let problem = upload(&state(), form(&many), NO_TIMEOUTS).await.unwrap_err();
    assert_eq!(problem.fault(), Fault::InvalidForm);
}

#[actix_web::test]
async fn an_invalid_recording_start_is_reported_at_its_field_and_nothing_is_stored() {
    let stored = Arc::default();
    let (state, endings) = state_of(&stored, 3);
    let field = "\r\n--x\r\ncontent-disposition: form-data; name=\"recording_start\"\r\n\r\n";
    let sent = format!("{}{field}tonight\r\n--x--\r\n", form_up_to_the_file());
    let (status, text) = status_and_text(upload(&Data::from(state), sent, NO_TIMEOUTS).await.unwrap()).await;
    assert_eq!((status, endings.committed()), (422, 3));
    stored.assert_discarded();
    assert!(text.contains("id=\"recording_start-error\">Enter the date and time when"), "{text}");
    assert!(!text.contains("tonight"), "{text}");
}
