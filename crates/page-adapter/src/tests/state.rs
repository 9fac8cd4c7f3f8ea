//! A state on empty ports; tests that need a store use a real one.

use super::store::EmptyStore;
use crate::view::sample::UPLOAD_FORMATS;
use crate::{
    DeveloperUseCases, ERROR_PAGES, ImportUseCases, IntakeUseCases, NightUseCases, PageState, UploadUseCases,
};
use application::access::DailyLimits;
use application::account::{
    ChangePassword, ChoosePassword, ChoosePasswordPorts, CompleteSignIn, ConfirmEmailChange, EndSessions,
    FindPasswordLink, FindPendingSignIn, KeptForms, ListSessions, ResumeSession, SecondStepPorts,
    SetUpSignIn, SignIn, SignInLimits, SignInPorts, SignOut,
};
use application::audit::{AuditTrail, ListActivity, ListReads, ReadRecorder};
use application::authorization::{
    ANONYMOUS_REQUESTS, AuthorizationPorts, BeginAuthorization, DecideConsent, FindPendingApp, OpenConsent,
};
use application::connection::{DisconnectApps, ListConnectedApps};
use application::developer::{
    AppWebhookPorts, AppWebhooks, ChangeApp, DeleteApp, IssueSandboxCode, RegisterApp, RetireAppSecret,
    RotateAppSecret, ShowDeveloperApps,
};
use application::erasure::ErasePerson;
use application::export::{ExportReaders, ExportRecords};
use application::import::ingest::DeleteRecord;
use application::import::{ApplyProfile, ListImports, UndoImport};
use application::intake::{ChangeIntake, CustomProducts, LogIntake, SearchSupplements, ShowIntake};
use application::night::{FindNight, ListNights};
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
use application::profile::{ChangeProfile, ShowProfile};
use application::read::ListIntakes;
use application::sandbox::{CreateSandboxPeople, EraseSandboxPeople, ListSandboxPeople};
use application::second_factor::{
    BeginSetUp, FindSecondFactor, ReplaceRecoveryCodes, SecondFactorPorts, TurnOffSecondFactor,
    TurnOnSecondFactor,
};
use application::store::Store;
use application::upload::{AddPart, BeginUpload, DiscardUpload, FindImport, FinishUpload, UploadLimits};
use application::webhook::ManageWebhooks;
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
    let mut sessions = MockSessionReader::new();
    sessions.expect_find_session().returning(|_| Ok(None));
    let mut imports = MockImportReader::new();
    imports.expect_list_imports().returning(|_, _, _| Ok(Vec::new()));
    let (sessions, imports) = (Arc::new(sessions), Arc::new(imports));
    let apps = Arc::new(MockConnectedAppReader::new());
    let authorization = authorization_ports(store, clock, &apps);
    let strength_checker = Arc::new(MockPasswordStrengthChecker::new());
    let choose = choose_password_ports(store, clock, &strength_checker);
    let issuer = || issuer.clone();
    let (units, entropy, lifetime) = (|| store.clone(), || store.clone(), SessionLifetime::default());
    let (clock, policy) = (|| clock.clone(), SecondFactorPolicy::Optional);
    PageState {
        http: Arc::new(HttpState { error_pages: ERROR_PAGES, ..http_state(settings) }),
        visits: Arc::new(|| Secret::from_bytes(SecretKind::Visit, &SecretBytes::new([9; 32]))),
        now: Arc::new(|| crate::tests::NOW),
        kept_forms: KeptForms::new(Arc::new(MockFormSealer::new())),
        show_profile: ShowProfile::new(Arc::new(MockProfileReader::new()), Arc::new(MockSleepReader::new())),
        change_profile: ChangeProfile::new(units(), entropy(), clock()),
        intakes: IntakeUseCases {
            show: ShowIntake::new(supplements()),
            search: SearchSupplements::new(supplements()),
            log: LogIntake::new(units(), entropy(), clock()),
            change: ChangeIntake::new(units(), entropy(), clock()),
            products: CustomProducts::new(units(), supplements(), entropy(), clock()),
        },
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
        begin_set_up: BeginSetUp::new(Arc::new(MockTotpSealer::new()), entropy(), clock()),
        find_second_factor: FindSecondFactor::new(second_factors()),
        turn_on_second_factor: TurnOnSecondFactor::new(second_factor_ports(store)),
        turn_off_second_factor: TurnOffSecondFactor::new(second_factor_ports(store), policy),
        replace_recovery_codes: ReplaceRecoveryCodes::new(second_factor_ports(store)),
        is_second_factor_required: false,
        resume_session: ResumeSession::new(sessions.clone(), units(), clock(), lifetime, policy),
        sign_out: SignOut::new(units(), entropy(), clock()),
        end_sessions: EndSessions::new(units(), entropy(), clock()),
        list_sessions: ListSessions::new(sessions, clock(), lifetime),
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
        nights: nights(store),
        list_connected_apps: ListConnectedApps::new(apps),
        disconnect_apps: DisconnectApps::new(units(), entropy(), clock()),
        personal_tokens: PersonalTokens {
            store: audited(store),
            reader: Arc::new(MockPersonalTokenReader::new()),
        },
        developer: Some(developer(store, &clock)),
        passkeys: passkeys(store),
        list_activity: list_activity(store),
        imports: ImportUseCases {
            list: ListImports::new(imports.clone()),
            find: FindImport::new(imports.clone()),
            undo: UndoImport::new(units(), imports, entropy(), clock()),
            apply_profile: ApplyProfile::new(units(), Arc::new(MockProfileReader::new()), entropy(), clock()),
            discard_upload: DiscardUpload::new(units(), clock()),
        },
        export: export(store),
        erase_person: ErasePerson::new(units(), entropy(), clock()),
        upload_formats: UPLOAD_FORMATS.to_vec(),
        uploads: Some(UploadUseCases {
            begin: BeginUpload::new(units(), UploadLimits::default(), entropy(), clock()),
            add_part: AddPart::new(units(), clock(), UploadLimits::default()),
            finish: FinishUpload::new(units(), clock()),
        }),
    }
}

fn developer(store: &Arc<EmptyStore>, clock: &impl Fn() -> Arc<dyn Clock>) -> DeveloperUseCases {
    let (units, entropy) = (|| store.clone(), || store.clone());
    let (webhooks, signer) = (|| Arc::new(MockWebhookReader::new()), || Arc::new(MockWebhookSigner::new()));
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
        webhooks: AppWebhooks::new(AppWebhookPorts {
            clients: store.clone(),
            webhooks: webhooks(),
            failures: failures(),
            manage: ManageWebhooks::new(units(), webhooks(), signer(), entropy(), clock()),
            clock: clock(),
            policy: OutboundPolicy::default(),
        }),
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

fn supplements() -> Arc<MockSupplementReader> {
    Arc::new(MockSupplementReader::new())
}

fn pending_sign_ins() -> Arc<MockPendingSignInReader> {
    let mut reader = MockPendingSignInReader::new();
    reader.expect_find_pending_sign_in().returning(|_| Ok(None));
    Arc::new(reader)
}

fn second_factors() -> Arc<MockSecondFactorReader> {
    let mut reader = MockSecondFactorReader::new();
    reader.expect_find_second_factor().returning(|_| Ok(None));
    Arc::new(reader)
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

fn second_factor_ports(store: &Arc<EmptyStore>) -> SecondFactorPorts {
    SecondFactorPorts {
        units: store.clone(),
        sealer: Arc::new(MockTotpSealer::new()),
        clock: store.clone(),
        entropy: store.clone(),
        mail: None,
    }
}

/// Returns the store of services.
fn audited(store: &Arc<EmptyStore>) -> Store {
    Store { units: store.clone(), trail: AuditTrail::new(store.clone(), store.clone()) }
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

fn nights(store: &Arc<EmptyStore>) -> NightUseCases {
    let sleep = Arc::new(MockSleepReader::new());
    NightUseCases {
        list: ListNights::new(sleep.clone(), store.clone()),
        find: FindNight::new(sleep, Arc::new(MockImportReader::new())),
        delete: DeleteRecord::new(store.clone(), store.clone(), store.clone()),
        intakes: ListIntakes::new(Arc::new(MockSupplementReader::new())),
    }
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
