//! A state on empty ports; tests that need a store use a real one.

use super::store::EmptyStore;
use crate::view::sample::UPLOAD_FORMATS;
use crate::{DeveloperUseCases, ERROR_PAGES, PageState};
use application::access::DailyLimits;
use application::account::{
    ChangePassword, ChoosePassword, ChoosePasswordPorts, CompleteSignIn, ConfirmEmailChange,
    FindPasswordLink, FindPendingSignIn, KeptForms, SecondStepPorts, Sessions, SetUpSignIn, SignIn,
    SignInLimits, SignInPorts,
};
use application::audit::{AuditTrail, ListActivity, ListReads, ReadRecorder};
use application::authorization::{
    ANONYMOUS_REQUESTS, AuthorizationPorts, BeginAuthorization, DecideConsent, FindPendingApp, OpenConsent,
};
use application::connection::{DisconnectApps, ListConnectedApps};
use application::developer::{
    ChangeApp, DeleteApp, IssueSandboxCode, RegisterApp, RetireAppSecret, RotateAppSecret, ShowDeveloperApps,
};
use application::erasure::ErasePerson;
use application::export::{ExportReaders, ExportRecords};
use application::import::Imports;
use application::intake::Intakes;
use application::night::Nights;
use application::operator::IssueCode;
use application::passkey::Passkeys;
use application::personal_token::PersonalTokens;
use application::ports::storage::{
    FailureCount, MockAuditReader, MockAuthorizationRequestReader, MockClientUsageStore,
    MockConnectedAppReader, MockCredentialReader, MockFailureCounter, MockGrantReader, MockImportReader,
    MockPasskeyReader, MockPasswordLinkReader, MockPendingSignInReader, MockPersonalTokenReader,
    MockProfileReader, MockReadTallyStore, MockSandboxReader, MockSecondFactorReader, MockSessionReader,
    MockSleepReader, MockSupplementReader, MockWebhookReader,
};
use application::ports::system::{
    Clock, MockFormSealer, MockMetadataSource, MockPasskeyVerifier, MockPasswordHasher,
    MockPasswordStrengthChecker, MockPause, MockReadLedger, MockTotpSealer, MockWebhookSigner, PasswordCheck,
};
use application::profile::Profiles;
use application::sandbox::{CreateSandboxPeople, EraseSandboxPeople, ListSandboxPeople};
use application::second_factor::SecondFactors;
use application::store::Store;
use application::upload::{UploadLimits, Uploads};
use application::webhook::Webhooks;
use domain::outbound::OutboundPolicy;
use domain::passkey::RelyingParty;
use domain::second_factor::SecondFactorPolicy;
use domain::secret::{Secret, SecretBytes, SecretKind};
use domain::session::SessionLifetime;
use http_adapter::test_support::http_state;
use http_adapter::{ExportUseCases, HttpSettings, HttpState};
use std::sync::Arc;
use url::Url;

/// Creates a state. Nobody is signed in, no account exists, and no email is sent.
#[expect(clippy::too_many_lines, reason = "one line for each use case")]
pub(crate) fn page_state(settings: HttpSettings) -> PageState {
    let (store, clock): (_, Arc<dyn Clock>) = (Arc::new(EmptyStore), Arc::new(EmptyStore));
    let (store, clock) = (&store, &clock);
    let issuer = settings.public_url.clone();
    let apps = Arc::new(MockConnectedAppReader::new());
    let authorization = authorization_ports(store, clock, &apps);
    let strength_checker = Arc::new(MockPasswordStrengthChecker::new());
    let choose = choose_password_ports(store, clock, &strength_checker);
    let issuer = || issuer.clone();
    let (units, entropy) = (|| store.clone(), || store.clone());
    let (clock, policy) = (|| clock.clone(), SecondFactorPolicy::Optional);
    PageState {
        http: Arc::new(HttpState { error_pages: ERROR_PAGES, ..http_state(settings) }),
        visits: Arc::new(|| Secret::from_bytes(SecretKind::Visit, &SecretBytes::new([9; 32]))),
        now: Arc::new(|| crate::tests::NOW),
        kept_forms: KeptForms::new(Arc::new(MockFormSealer::new())),
        profiles: Profiles { store: audited(store), reader: Arc::new(MockProfileReader::new()) },
        intakes: Intakes { store: audited(store), reader: Arc::new(MockSupplementReader::new()) },
        begin_authorization: BeginAuthorization::new(authorization.clone(), issuer()),
        find_pending_app: FindPendingApp::new(
            Arc::new(MockAuthorizationRequestReader::new()),
            store.clone(),
            clock(),
        ),
        open_consent: OpenConsent::new(authorization.clone(), issuer()),
        decide_consent: DecideConsent::new(authorization, issuer()),
        sign_in: SignIn::new(sign_in_ports(store, &clock()), SignInLimits::default(), policy),
        find_pending_sign_in: FindPendingSignIn::new(pending_sign_ins(), clock()),
        complete_sign_in: CompleteSignIn::new(second_step_ports(store), SignInLimits::default(), None),
        set_up_sign_in: SetUpSignIn::new(second_step_ports(store), SignInLimits::default(), None),
        second_factors: second_factors(store),
        sessions: sessions(store),
        change_password: ChangePassword::new(
            sign_in_ports(store, &clock()),
            SignInLimits::default(),
            strength_checker,
            policy,
            None,
        ),
        find_password_link: FindPasswordLink::new(Arc::new(MockPasswordLinkReader::new()), clock()),
        choose_password: ChoosePassword::new(choose, policy, None),
        request_email_change: None,
        confirm_email_change: ConfirmEmailChange::new(units(), None, entropy(), clock()),
        request_password_reset: None,
        request_sign_up: None,
        nights: Nights {
            store: audited(store),
            reader: Arc::new(MockSleepReader::new()),
            imports: imports(store).reader,
        },
        list_connected_apps: ListConnectedApps::new(apps),
        disconnect_apps: DisconnectApps::new(units(), entropy(), clock()),
        personal_tokens: PersonalTokens {
            store: audited(store),
            reader: Arc::new(MockPersonalTokenReader::new()),
        },
        developer: Some(developer(store, &clock)),
        passkeys: passkeys(store),
        list_activity: list_activity(store),
        imports: imports(store),
        export: export(store),
        erase_person: ErasePerson::new(units(), entropy(), clock()),
        upload_formats: UPLOAD_FORMATS.to_vec(),
        uploads: Some(Uploads { store: audited(store), limits: UploadLimits::default() }),
    }
}

fn developer(store: &Arc<EmptyStore>, clock: &impl Fn() -> Arc<dyn Clock>) -> DeveloperUseCases {
    let (units, entropy) = (|| store.clone(), || store.clone());
    DeveloperUseCases {
        own_apps: ShowDeveloperApps::new(
            store.clone(),
            Arc::new(MockGrantReader::new()),
            Arc::new(MockClientUsageStore::new()),
            DailyLimits::default(),
            clock(),
        ),
        register: RegisterApp::new(units(), store.clone(), entropy(), clock()),
        change: ChangeApp::new(units(), store.clone(), entropy(), clock()),
        rotate_secret: RotateAppSecret::new(units(), entropy(), clock()),
        retire_secret: RetireAppSecret::new(units(), entropy(), clock()),
        delete: DeleteApp::new(units(), entropy(), clock()),
        webhooks: Webhooks {
            store: audited(store),
            reader: Arc::new(MockWebhookReader::new()),
            clients: store.clone(),
            failures: failures(),
            signer: Arc::new(MockWebhookSigner::new()),
            policy: OutboundPolicy::default(),
        },
        create_people: CreateSandboxPeople::new(units(), entropy(), clock()),
        list_people: ListSandboxPeople::new(Arc::new(MockSandboxReader::new())),
        erase_people: EraseSandboxPeople::new(
            Arc::new(MockSandboxReader::new()),
            ErasePerson::new(units(), entropy(), clock()),
        ),
        sandbox_code: IssueSandboxCode::new(
            store.clone(),
            IssueCode::new(units(), entropy(), clock()),
            entropy(),
        ),
    }
}

fn pending_sign_ins() -> Arc<MockPendingSignInReader> {
    let mut reader = MockPendingSignInReader::new();
    reader.expect_find_pending_sign_in().returning(|_| Ok(None));
    Arc::new(reader)
}

fn second_factors(store: &Arc<EmptyStore>) -> SecondFactors {
    let mut reader = MockSecondFactorReader::new();
    reader.expect_find_second_factor().returning(|_| Ok(None));
    SecondFactors {
        store: audited(store),
        reader: Arc::new(reader),
        sealer: Arc::new(MockTotpSealer::new()),
        policy: SecondFactorPolicy::Optional,
        mail: None,
    }
}

fn second_step_ports(store: &Arc<EmptyStore>) -> SecondStepPorts {
    SecondStepPorts {
        pending: pending_sign_ins(),
        failures: failures(),
        units: store.clone(),
        sealer: Arc::new(MockTotpSealer::new()),
        clock: store.clone(),
        entropy: store.clone(),
    }
}

/// Returns sessions, of which there are none.
fn sessions(store: &Arc<EmptyStore>) -> Sessions {
    let mut reader = MockSessionReader::new();
    reader.expect_find_session().returning(|_| Ok(None));
    Sessions {
        store: audited(store),
        reader: Arc::new(reader),
        lifetime: SessionLifetime::default(),
        policy: SecondFactorPolicy::Optional,
        is_recording: Arc::default(),
    }
}

/// Returns the store of services.
fn audited(store: &Arc<EmptyStore>) -> Store {
    Store { units: store.clone(), trail: AuditTrail::new(store.clone(), store.clone()) }
}

/// Returns imports of a store that has none.
fn imports(store: &Arc<EmptyStore>) -> Imports {
    let mut reader = MockImportReader::new();
    reader.expect_list_imports().returning(|_, _, _| Ok(Vec::new()));
    let profiles = Arc::new(MockProfileReader::new());
    Imports { store: audited(store), reader: Arc::new(reader), profiles }
}

/// Returns the passkeys of a server at `https://rest.example`.
fn passkeys(store: &Arc<EmptyStore>) -> Passkeys {
    let url = Url::parse("https://rest.example").unwrap();
    Passkeys {
        store: audited(store),
        reader: Arc::new(MockPasskeyReader::new()),
        failures: failures(),
        verifier: Arc::new(MockPasskeyVerifier::new()),
        relying_party: RelyingParty::from_public_url(&url),
        ceremony_limit: ANONYMOUS_REQUESTS,
        sign_in_limits: SignInLimits::default(),
        policy: SecondFactorPolicy::Optional,
        mail: None,
    }
}

/// Returns counters that never reach a limit.
fn failures() -> Arc<MockFailureCounter> {
    let mut failures = MockFailureCounter::new();
    failures.expect_record_failure().returning(|keys, at, window| {
        Ok(vec![FailureCount { count: 1, window_ends_at: at + window }; keys.len()])
    });
    failures.expect_uncount().returning(|_, _| Ok(()));
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
        metadata: Arc::new(MockMetadataSource::new()),
        metadata_policy: Arc::default(),
    }
}

fn choose_password_ports(
    store: &Arc<EmptyStore>,
    clock: &Arc<dyn Clock>,
    strength_checker: &Arc<MockPasswordStrengthChecker>,
) -> ChoosePasswordPorts {
    ChoosePasswordPorts {
        links: Arc::new(MockPasswordLinkReader::new()),
        units: store.clone(),
        hasher: Arc::new(MockPasswordHasher::new()),
        strength_checker: strength_checker.clone(),
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
