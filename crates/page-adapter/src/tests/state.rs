//! A state on empty ports; tests that need a store use a real one.

use super::store::EmptyStore;
use crate::view::sample::UPLOAD_FORMATS;
use crate::{DeveloperServices, ERROR_PAGES, PageState};
use application::access::DailyLimits;
use application::account::{LinkRequestLimits, PasswordCheckpoint, PasswordLinks, Passwords, SignIns};
use application::audit::{ListActivity, ListReads, ReadRecorder};
use application::authorization::{ANONYMOUS_REQUESTS, Authorizations};
use application::client::Clients;
use application::code::Codes;
use application::erasure::Erasures;
use application::export::ExportRecords;
use application::grant::Grants;
use application::import::Imports;
use application::passkey::Passkeys;
use application::personal_token::PersonalTokens;
use application::ports::storage::{
    FailureCount, MockAuditReader, MockAuthorizationRequestReader, MockClientUsageStore,
    MockConnectedAppReader, MockCredentialReader, MockFailureCounter, MockGrantReader, MockImportReader,
    MockPasskeyReader, MockPasswordLinkReader, MockPendingSignInReader, MockPersonalTokenReader,
    MockProfileReader, MockReadTallyStore, MockSandboxReader, MockSecondFactorReader, MockSessionReader,
    MockWebhookReader,
};
use application::ports::system::{
    MockFormSealer, MockMetadataSource, MockPasskeyVerifier, MockPasswordHasher, MockPasswordStrengthChecker,
    MockPause, MockReadLedger, MockTotpSealer, MockWebhookSigner, PasswordCheck,
};
use application::profile::Profiles;
use application::record::{RecordReaders, RecordServices};
use application::sandbox::SandboxPeople;
use application::second_factor::SecondFactors;
use application::session::{Sessions, SignInLimits};
use application::store::AuditTrail;
use application::store::Store;
use application::upload::{UploadLimits, Uploads};
use application::webhook::Webhooks;
use domain::client::MetadataPolicy;
use domain::outbound::OutboundPolicy;
use domain::passkey::RelyingParty;
use domain::second_factor::SecondFactorPolicy;
use domain::session::SessionLifetime;
use http_adapter::test_support::http_state;
use http_adapter::{ExportUseCases, HttpSettings, HttpState};
use std::sync::Arc;
use url::Url;

/// Creates a state. Nobody is signed in, no account exists, and no email is sent.
pub(crate) fn page_state(settings: HttpSettings) -> PageState {
    let store = &Arc::new(EmptyStore);
    let issuer = settings.public_url.clone();
    let apps = Arc::new(MockConnectedAppReader::new());
    PageState {
        http: Arc::new(HttpState { error_pages: ERROR_PAGES, ..http_state(settings) }),
        store: audited(store),
        profiles: Profiles { store: audited(store), reader: Arc::new(MockProfileReader::new()) },
        records: RecordServices::new(&audited(store), RecordReaders::unused(), imports(store).reader),
        authorizations: authorizations(store, issuer),
        sign_ins: sign_ins(store),
        second_factors: second_factors(store),
        sessions: sessions(store),
        passwords: passwords(store),
        password_links: PasswordLinks {
            store: audited(store),
            reader: Arc::new(MockPasswordLinkReader::new()),
            failures: failures(),
            limits: LinkRequestLimits::default(),
            is_sign_up_open: false,
            mail: None,
        },
        grants: Grants { store: audited(store), reader: Arc::new(MockGrantReader::new()), apps },
        personal_tokens: PersonalTokens {
            store: audited(store),
            reader: Arc::new(MockPersonalTokenReader::new()),
        },
        developer: Some(developer(store)),
        passkeys: passkeys(store),
        list_activity: list_activity(store),
        imports: imports(store),
        export: export(store),
        erasures: Erasures { store: audited(store) },
        upload_formats: UPLOAD_FORMATS.to_vec(),
        uploads: Some(Uploads { store: audited(store), limits: UploadLimits::default() }),
    }
}

fn developer(store: &Arc<EmptyStore>) -> DeveloperServices {
    DeveloperServices {
        clients: Clients {
            store: audited(store),
            reader: store.clone(),
            grants: Arc::new(MockGrantReader::new()),
            usage: Arc::new(MockClientUsageStore::new()),
            limits: DailyLimits::default(),
        },
        webhooks: Webhooks {
            store: audited(store),
            reader: Arc::new(MockWebhookReader::new()),
            clients: store.clone(),
            failures: failures(),
            signer: Arc::new(MockWebhookSigner::new()),
            policy: OutboundPolicy::default(),
        },
        people: SandboxPeople { store: audited(store), reader: Arc::new(MockSandboxReader::new()) },
        codes: Codes { store: audited(store), clients: store.clone() },
    }
}

fn second_factors(store: &Arc<EmptyStore>) -> SecondFactors {
    SecondFactors {
        store: audited(store),
        reader: Arc::new(MockSecondFactorReader::new()),
        sealer: Arc::new(MockTotpSealer::new()),
        policy: SecondFactorPolicy::Optional,
        mail: None,
    }
}

fn sign_ins(store: &Arc<EmptyStore>) -> SignIns {
    SignIns {
        checkpoint: checkpoint(store),
        pending: Arc::new(MockPendingSignInReader::new()),
        totp_sealer: Arc::new(MockTotpSealer::new()),
        form_sealer: Arc::new(MockFormSealer::new()),
        policy: SecondFactorPolicy::Optional,
        mail: None,
    }
}

fn sessions(store: &Arc<EmptyStore>) -> Sessions {
    Sessions {
        store: audited(store),
        reader: Arc::new(MockSessionReader::new()),
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
    Arc::new(failures)
}

fn authorizations(store: &Arc<EmptyStore>, issuer: String) -> Authorizations {
    Authorizations {
        store: audited(store),
        requests: Arc::new(MockAuthorizationRequestReader::new()),
        clients: store.clone(),
        apps: Arc::new(MockConnectedAppReader::new()),
        failures: failures(),
        anonymous_requests: ANONYMOUS_REQUESTS,
        metadata: Arc::new(MockMetadataSource::new()),
        metadata_policy: MetadataPolicy::default(),
        issuer,
    }
}

fn passwords(store: &Arc<EmptyStore>) -> Passwords {
    Passwords {
        checkpoint: checkpoint(store),
        links: Arc::new(MockPasswordLinkReader::new()),
        profiles: Arc::new(MockProfileReader::new()),
        strength_checker: Arc::new(MockPasswordStrengthChecker::new()),
        policy: SecondFactorPolicy::Optional,
        mail: None,
    }
}

fn export(store: &Arc<EmptyStore>) -> Arc<ExportUseCases> {
    let records = ExportRecords::new(RecordReaders::unused(), Arc::new(MockPause::new()), audited(store));
    let reads = ReadRecorder::new(Arc::new(MockReadLedger::new()), store.clone());
    Arc::new(ExportUseCases { records, writers: store.clone(), reads })
}

fn list_activity(store: &Arc<EmptyStore>) -> ListActivity {
    let tokens = Arc::new(MockPersonalTokenReader::new());
    let reads = ListReads::new(Arc::new(MockReadTallyStore::new()), store.clone(), tokens);
    ListActivity::new(reads, Arc::new(MockAuditReader::new()))
}

/// Returns a check that rejects every password.
fn checkpoint(store: &Arc<EmptyStore>) -> PasswordCheckpoint {
    let mut credentials = MockCredentialReader::new();
    credentials.expect_find_credentials().returning(|_| Ok(None));
    let mut hasher = MockPasswordHasher::new();
    hasher.expect_check().returning(|_, _| Ok(PasswordCheck { is_right: false, is_outdated: false }));
    PasswordCheckpoint {
        store: audited(store),
        credentials: Arc::new(credentials),
        hasher: Arc::new(hasher),
        failures: failures(),
        limits: SignInLimits::default(),
    }
}
