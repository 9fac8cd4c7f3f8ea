//! A state on empty ports; tests that need a store use a real one.

use super::store::EmptyStore;
use crate::{ERROR_PAGES, PageState, UploadUseCases};
use application::account::{
    ChangePassword, ChoosePassword, ChoosePasswordPorts, EndSessions, FindPasswordLink, ListSessions,
    ResumeSession, SignIn, SignInLimits, SignInPorts, SignOut,
};
use application::audit::{AuditTrail, ListActivity, ListReads, ReadRecorder};
use application::authorization::{
    AuthorizationPorts, BeginAuthorization, DecideConsent, DescribeRequest, OpenConsent,
};
use application::connection::{DisconnectApps, ListConnectedApps};
use application::erasure::ErasePerson;
use application::export::{ExportReaders, ExportRecords};
use application::import::{ApplyProfile, ListImports, UndoImport};
use application::personal_token::{CreatePersonalToken, ListPersonalTokens, RevokePersonalToken};
use application::ports::storage::{
    FailureCount, MockAuditReader, MockAuthorizationRequestReader, MockConnectedAppReader,
    MockCredentialReader, MockFailureCounter, MockImportReader, MockPasswordLinkReader,
    MockPersonalTokenReader, MockProfileReader, MockReadTallyStore, MockSessionReader, MockSleepReader,
    MockSupplementReader,
};
use application::ports::system::{
    Clock, MockPasswordHasher, MockPasswordJudge, MockPause, MockReadLedger, PasswordCheck,
};
use application::upload::{AddPart, BeginUpload, DiscardUpload, FindImport, FinishUpload, UploadLimits};
use domain::secret::{Secret, SecretBytes, SecretKind};
use domain::session::SessionLifetime;
use http_adapter::test_support::http_state;
use http_adapter::{ExportUseCases, HttpSettings, HttpState};
use std::sync::Arc;

/// Creates a state. Nobody is signed in, no account exists, and no email is sent.
pub(crate) fn page_state(settings: HttpSettings) -> PageState {
    let (store, clock): (_, Arc<dyn Clock>) = (Arc::new(EmptyStore), Arc::new(EmptyStore));
    let (store, clock) = (&store, &clock);
    let issuer = settings.public_url.clone();
    let mut sessions = MockSessionReader::new();
    sessions.expect_find_session().returning(|_| Ok(None));
    let mut imports = MockImportReader::new();
    imports.expect_list_imports().returning(|_, _, _| Ok(Vec::new()));
    let (sessions, imports) = (Arc::new(sessions), Arc::new(imports));
    let apps = Arc::new(MockConnectedAppReader::new());
    let authorization = authorization_ports(store, clock, &apps);
    let judge = Arc::new(MockPasswordJudge::new());
    let choose = choose_password_ports(store, clock, &judge);
    let issuer = || issuer.clone();
    let (units, entropy, lifetime) = (|| store.clone(), || store.clone(), SessionLifetime::default());
    let clock = || clock.clone();
    PageState {
        http: Arc::new(HttpState { error_pages: ERROR_PAGES, ..http_state(settings) }),
        visits: Arc::new(|| Secret::from_bytes(SecretKind::Visit, &SecretBytes::new([9; 32]))),
        begin_authorization: BeginAuthorization::new(authorization.clone(), issuer()),
        describe_request: DescribeRequest::new(
            Arc::new(MockAuthorizationRequestReader::new()),
            store.clone(),
            clock(),
        ),
        open_consent: OpenConsent::new(authorization.clone(), issuer()),
        decide_consent: DecideConsent::new(authorization, issuer()),
        sign_in: SignIn::new(sign_in_ports(store, &clock()), SignInLimits::default()),
        resume_session: ResumeSession::new(sessions.clone(), units(), clock(), lifetime),
        sign_out: SignOut::new(units(), entropy(), clock()),
        end_sessions: EndSessions::new(units(), entropy(), clock()),
        list_sessions: ListSessions::new(sessions, clock(), lifetime),
        change_password: ChangePassword::new(
            sign_in_ports(store, &clock()),
            SignInLimits::default(),
            judge,
            None,
        ),
        find_password_link: FindPasswordLink::new(Arc::new(MockPasswordLinkReader::new()), clock()),
        choose_password: ChoosePassword::new(choose, None),
        request_password_reset: None,
        request_sign_up: None,
        list_connected_apps: ListConnectedApps::new(apps),
        disconnect_apps: DisconnectApps::new(units(), entropy(), clock()),
        create_personal_token: CreatePersonalToken::new(units(), entropy(), clock()),
        list_personal_tokens: ListPersonalTokens::new(Arc::new(MockPersonalTokenReader::new()), clock()),
        revoke_personal_token: RevokePersonalToken::new(units(), entropy(), clock()),
        list_activity: list_activity(store),
        list_imports: ListImports::new(imports.clone()),
        find_import: FindImport::new(imports.clone()),
        undo_import: UndoImport::new(units(), imports, entropy(), clock()),
        apply_profile: ApplyProfile::new(units(), Arc::new(MockProfileReader::new()), entropy(), clock()),
        discard_upload: DiscardUpload::new(units(), clock()),
        export: export(store),
        erase_person: ErasePerson::new(units(), entropy(), clock()),
        uploads: Some(UploadUseCases {
            begin: BeginUpload::new(units(), entropy(), clock(), UploadLimits::default()),
            add_part: AddPart::new(units(), clock(), UploadLimits::default()),
            finish: FinishUpload::new(units(), clock()),
        }),
    }
}

/// Returns counters that never reach a limit.
fn failures() -> Arc<MockFailureCounter> {
    let mut failures = MockFailureCounter::new();
    failures.expect_record_failure().returning(|keys, at, window| {
        Ok(vec![FailureCount { count: 1, window_ends_at: at + window }; keys.len()])
    });
    failures.expect_take_back().returning(|_, _| Ok(()));
    failures.expect_forget().returning(|_| Ok(()));
    Arc::new(failures)
}

fn authorization_ports(
    store: &Arc<EmptyStore>,
    clock: &Arc<dyn Clock>,
    apps: &Arc<MockConnectedAppReader>,
) -> AuthorizationPorts {
    AuthorizationPorts {
        clients: store.clone(),
        apps: apps.clone(),
        failures: failures(),
        units: store.clone(),
        entropy: store.clone(),
        clock: clock.clone(),
    }
}

fn choose_password_ports(
    store: &Arc<EmptyStore>,
    clock: &Arc<dyn Clock>,
    judge: &Arc<MockPasswordJudge>,
) -> ChoosePasswordPorts {
    ChoosePasswordPorts {
        links: Arc::new(MockPasswordLinkReader::new()),
        units: store.clone(),
        hasher: Arc::new(MockPasswordHasher::new()),
        judge: judge.clone(),
        failures: failures(),
        clock: clock.clone(),
        entropy: store.clone(),
    }
}

fn export(store: &Arc<EmptyStore>) -> Arc<ExportUseCases> {
    let readers = ExportReaders {
        profiles: Arc::new(MockProfileReader::new()),
        sleep: Arc::new(MockSleepReader::new()),
        supplements: Arc::new(MockSupplementReader::new()),
        pause: Arc::new(MockPause::new()),
    };
    let trail = AuditTrail::new(store.clone(), store.clone());
    let records = ExportRecords::new(readers, store.clone(), trail);
    let reads = ReadRecorder::new(Arc::new(MockReadLedger::new()), store.clone());
    Arc::new(ExportUseCases { records, writers: store.clone(), reads })
}

fn list_activity(store: &Arc<EmptyStore>) -> ListActivity {
    let tokens = Arc::new(MockPersonalTokenReader::new());
    let reads = ListReads::new(Arc::new(MockReadTallyStore::new()), store.clone(), tokens);
    ListActivity::new(reads, Arc::new(MockAuditReader::new()))
}

fn sign_in_ports(store: &Arc<EmptyStore>, clock: &Arc<dyn Clock>) -> SignInPorts {
    let mut credentials = MockCredentialReader::new();
    credentials.expect_find_credentials().returning(|_| Ok(None));
    let mut hasher = MockPasswordHasher::new();
    hasher.expect_check().returning(|_, _| Ok(PasswordCheck { is_right: false, is_outdated: false }));
    SignInPorts {
        credentials: Arc::new(credentials),
        hasher: Arc::new(hasher),
        failures: failures(),
        units: store.clone(),
        clock: clock.clone(),
        entropy: store.clone(),
    }
}
