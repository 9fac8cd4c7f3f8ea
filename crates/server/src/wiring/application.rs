//! The server's own composition: use cases over ports, and the HTTP side over use cases.

use super::published_keys::PublishedKeys;
use super::{KeySource, Schema, Store};
use crate::lifecycle::{Cleaning, Readiness};
use crate::settings::{PublicUrl, Settings};
use application::access::{AccessPorts, AuthorizeAccess, TokenCheck};
use application::key::{EnsureSigningKey, ReloadSigningKeys};
use application::ports::system::{Clock, Entropy, KeyRing};
use application::read::{ReadProfile, ReadSleep, ReadSupplements};
use application::token::{
    AuthenticateClient, IntrospectToken, IntrospectionPorts, IssueServiceToken, RedeemCode, RefreshAccess,
    RevokeToken, TokenMint,
};
use http_adapter::{HttpSettings, HttpState};
use std::sync::Arc;
use std::time::{Duration, Instant};
use system_adapter::{
    CachedAccessReader, Ed25519KeyRing, InProcessRateLimiter, SharedKeyReload, SystemClock, SystemEntropy,
    TokenParties,
};

/// The signing keys, and what makes and reloads them.
pub(crate) struct KeyParts {
    /// The keys of this process.
    pub(crate) ring: Arc<Ed25519KeyRing>,
    /// Makes the first key.
    pub(crate) ensure: EnsureSigningKey,
    /// Takes the keys of the store into use.
    pub(crate) reload: Arc<SharedKeyReload>,
}

impl KeyParts {
    /// Wires the keys of a store, sealed under the encryption key of the settings.
    pub(crate) fn new(store: &Store, settings: &Settings, public_url: &PublicUrl) -> anyhow::Result<Self> {
        let encryption_key = KeySource::of(settings, public_url)?.load(settings)?;
        let parties = TokenParties { issuer: public_url.to_string(), audience: public_url.to_string() };
        let ring = Arc::new(Ed25519KeyRing::new(encryption_key, parties));
        let (entropy, clock) = (Arc::new(SystemEntropy), Arc::new(SystemClock));
        let port: Arc<dyn KeyRing> = ring.clone();
        Ok(Self {
            ensure: EnsureSigningKey::new(
                store.signing_keys.clone(),
                store.units.clone(),
                port.clone(),
                entropy,
                clock,
            ),
            reload: Arc::new(SharedKeyReload::new(
                ring.clone(),
                ReloadSigningKeys::new(store.signing_keys.clone(), port),
            )),
            ring,
        })
    }
}

/// Everything that a running server consists of.
pub(crate) struct Application {
    /// What the handlers need.
    pub(crate) http: Arc<HttpState>,
    /// Whether it can serve.
    pub(crate) readiness: Arc<Readiness>,
    /// The schema of its store.
    pub(crate) schema: Arc<dyn Schema>,
    /// Its signing keys.
    pub(crate) keys: KeyParts,
    /// What is deleted now and then.
    pub(crate) cleaning: Cleaning,
}

impl Application {
    /// Wires a server that is reached under this URL.
    pub(crate) fn new(store: &Store, settings: &Settings, public_url: &PublicUrl) -> anyhow::Result<Self> {
        let keys = KeyParts::new(store, settings, public_url)?;
        let readiness = Arc::new(Readiness::default());
        let cleaning = Cleaning::new(store, Arc::new(SystemClock), settings.tokens.failure_window_seconds);
        let http = Arc::new(http_state(store, settings, public_url, &keys, readiness.clone()));
        Ok(Self { http, readiness, schema: store.schema.clone(), keys, cleaning })
    }
}

fn http_state(
    store: &Store,
    settings: &Settings,
    public_url: &PublicUrl,
    keys: &KeyParts,
    readiness: Arc<Readiness>,
) -> HttpState {
    let ring = &keys.ring;
    let clock: Arc<dyn Clock> = Arc::new(SystemClock);
    let entropy: Arc<dyn Entropy> = Arc::new(SystemEntropy);
    let mint = TokenMint::new(ring.clone(), entropy.clone(), clock.clone());
    let authenticate_client = AuthenticateClient::new(
        store.clients.clone(),
        store.failures.clone(),
        clock.clone(),
        settings.tokens.authentication_limits(),
        settings.tokens.allow_query_secrets,
    );
    let request_ids = entropy.clone();
    let process_start = Instant::now();
    HttpState {
        authenticate_client: Arc::new(authenticate_client),
        redeem_code: Arc::new(RedeemCode::new(store.units.clone(), entropy, mint.clone())),
        refresh_access: Arc::new(RefreshAccess::new(store.grants.clone(), store.units.clone(), mint.clone())),
        issue_service_token: Arc::new(IssueServiceToken::new(mint)),
        revoke_token: Arc::new(revoke_token(store, keys, clock.clone())),
        introspect_token: Arc::new(introspect_token(store, keys, clock.clone())),
        authorize_access: Arc::new(authorize_access(store, settings, keys, clock)),
        read_profile: Arc::new(ReadProfile::new(store.profiles.clone())),
        read_sleep: Arc::new(ReadSleep::new(store.sleep.clone())),
        read_supplements: Arc::new(ReadSupplements::new(store.supplements.clone())),
        key_set: Arc::new(PublishedKeys(ring.clone())),
        health: readiness,
        request_ids: Arc::new(move || request_ids.uuid()),
        elapsed_time: Arc::new(move || process_start.elapsed()),
        settings: HttpSettings {
            public_url: public_url.to_string(),
            cors_allowed_origins: settings.cors.allowed_origins.0.clone(),
            compression: settings.compression.enabled,
            answer_timeout: answer_timeout(settings),
        },
    }
}

/// Adds up how long a request may wait: for its body, a connection, a lock and a statement.
fn answer_timeout(settings: &Settings) -> Duration {
    const BODY_SECONDS: u32 = 5;
    let storage = &settings.storage;
    let seconds = [
        BODY_SECONDS,
        storage.connect_timeout_seconds,
        storage.lock_timeout_seconds,
        storage.statement_timeout_seconds,
    ];
    Duration::from_secs(seconds.into_iter().map(u64::from).sum())
}

fn token_check(keys: &KeyParts) -> TokenCheck {
    TokenCheck::new(keys.ring.clone(), keys.reload.clone())
}

fn revoke_token(store: &Store, keys: &KeyParts, clock: Arc<dyn Clock>) -> RevokeToken {
    RevokeToken::new(store.grants.clone(), token_check(keys), store.units.clone(), clock)
}

fn introspect_token(store: &Store, keys: &KeyParts, clock: Arc<dyn Clock>) -> IntrospectToken {
    IntrospectToken::new(IntrospectionPorts {
        tokens: token_check(keys),
        grants: store.grants.clone(),
        access: store.access.clone(),
        clients: store.clients.clone(),
        clock,
    })
}

fn authorize_access(
    store: &Store,
    settings: &Settings,
    keys: &KeyParts,
    clock: Arc<dyn Clock>,
) -> AuthorizeAccess {
    let max_age = Duration::from_millis(u64::from(settings.tokens.access_cache_milliseconds));
    let ports = AccessPorts {
        tokens: token_check(keys),
        access: Arc::new(CachedAccessReader::new(store.access.clone(), max_age)),
        clients: store.clients.clone(),
        limiter: Arc::new(InProcessRateLimiter::new()),
        clock,
    };
    AuthorizeAccess::new(ports, settings.rate_limits.daily_limits())
}
