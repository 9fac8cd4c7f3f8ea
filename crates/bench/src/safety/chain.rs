//! The checks before a data endpoint, assembled from the product's parts.

use super::part::{AnyToken, LiveGrants, NoClients, NoLedger, NoLimit, NoOtherKeys};
use application::access::{AccessPorts, AuthorizeAccess, DailyLimits, TokenCheck};
use application::audit::ReadRecorder;
use application::ports::storage::{AccessReader, AccessState};
use application::ports::system::{
    Clock as _, Entropy as _, KeyRing as _, RateLimiter, ReadLedger, TokenSigner as _, TokenVerifier,
};
use chrono::SubsecRound as _;
use domain::access_token::{AccessClaims, TokenSubject};
use domain::data_endpoint::PersonEndpoint;
use domain::data_kind::DataKind;
use domain::id::{ClientId, GrantId, KeyId, TokenId, UserId};
use domain::read_tally::RequestedRange;
use domain::resource::Resource;
use domain::scope::ScopeSet;
use domain::time::TimeZone;
use rustix::time::{ClockId, clock_gettime};
use std::sync::Arc;
use std::time::Duration;
use system_adapter::{
    CachedAccessReader, Ed25519KeyRing, EncryptionKey, InProcessRateLimiter, InProcessReadLedger,
    SystemClock, SystemEntropy, TokenParties,
};
use tokio::runtime::{Builder, Runtime};

const PARTY: &str = "http://localhost:8080";

/// A check that can be omitted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Part {
    Token,
    Access,
    Limit,
    Audit,
}

impl Part {
    /// All checks in order.
    pub(super) const EACH: [Self; 4] = [Self::Token, Self::Access, Self::Limit, Self::Audit];

    /// Returns the name in the table.
    pub(super) const fn name(self) -> &'static str {
        match self {
            Self::Token => "token, seen before (its hash, its times)",
            Self::Access => "access (grant, client and person, checked in the store once a second)",
            Self::Limit => "limit of the day, counted in the process",
            Self::Audit => "audit (totals of reads)",
        }
    }
}

/// The checks, and a request that passes them.
pub(super) struct Chain {
    authorize: AuthorizeAccess,
    recorder: ReadRecorder,
    runtime: Runtime,
    token: String,
    user_id: String,
}

impl Chain {
    /// Creates the chain without some checks.
    pub(super) fn without(parts: &[Part]) -> anyhow::Result<Self> {
        let claims = claims();
        let TokenSubject::Person { user_id, .. } = claims.subject else {
            anyhow::bail!("a person's token is a person's");
        };
        let ring = ring()?;
        let token = ring.sign(&claims)?;
        let store = Arc::new(LiveGrants(AccessState {
            client_id: claims.client_id,
            scopes: claims.scopes,
            is_live: true,
            ended_at: None,
            home_timezone: TimeZone::UTC,
        }));
        let is_out = |part| parts.contains(&part);
        let verifier: Arc<dyn TokenVerifier> =
            if is_out(Part::Token) { Arc::new(AnyToken(claims)) } else { ring };
        let access: Arc<dyn AccessReader> = if is_out(Part::Access) {
            store
        } else {
            Arc::new(CachedAccessReader::new(store, Duration::from_secs(1)))
        };
        let limiter: Arc<dyn RateLimiter> =
            if is_out(Part::Limit) { Arc::new(NoLimit) } else { Arc::new(InProcessRateLimiter::new()) };
        let ledger: Arc<dyn ReadLedger> =
            if is_out(Part::Audit) { Arc::new(NoLedger) } else { Arc::new(InProcessReadLedger::new()) };
        let access_ports = AccessPorts {
            tokens: TokenCheck::new(verifier, Arc::new(NoOtherKeys)),
            access,
            clients: Arc::new(NoClients),
            limiter,
            clock: Arc::new(SystemClock),
        };
        Ok(Self {
            authorize: AuthorizeAccess::new(
                access_ports,
                DailyLimits::from_iter([(DataKind::Profile, u32::MAX)]),
            ),
            recorder: ReadRecorder::new(ledger, Arc::new(SystemClock)),
            runtime: Builder::new_current_thread().enable_all().build()?,
            token,
            user_id: user_id.to_string(),
        })
    }

    /// Passes a request repeatedly and returns the time per request.
    pub(super) fn microseconds_each(&self, times: u32) -> anyhow::Result<f64> {
        let before = processor_time();
        self.runtime.block_on(async {
            for _ in 0..times {
                self.pass().await?;
            }
            anyhow::Ok(())
        })?;
        Ok((processor_time() - before) * 1e6 / f64::from(times))
    }

    async fn pass(&self) -> anyhow::Result<()> {
        let caller = self.authorize.identify(&self.token, Resource::Api).await?;
        let endpoint = PersonEndpoint::Data(DataKind::Profile);
        let granted = self.authorize.admit_to(&caller, &self.user_id, endpoint).await?;
        self.recorder.record_data(&granted, DataKind::Profile, 1, RequestedRange::default());
        Ok(())
    }

    /// Verifies this many tokens for the first time and returns the time per token.
    pub(super) fn microseconds_of_new_tokens(times: u32) -> anyhow::Result<f64> {
        let ring = ring()?;
        let tokens = (0..times).map(|_| ring.sign(&claims())).collect::<Result<Vec<_>, _>>()?;
        let now = SystemClock.now();
        let before = processor_time();
        for token in &tokens {
            std::hint::black_box(ring.verify(token, now)?);
        }
        Ok((processor_time() - before) * 1e6 / f64::from(times))
    }
}

/// Returns the CPU time of this thread, which runs the whole chain, in seconds.
fn processor_time() -> f64 {
    let time = clock_gettime(ClockId::ThreadCPUTime);
    Duration::new(time.tv_sec.unsigned_abs(), u32::try_from(time.tv_nsec).unwrap_or_default()).as_secs_f64()
}

fn ring() -> anyhow::Result<Arc<Ed25519KeyRing>> {
    let parties = TokenParties { issuer: PARTY.to_owned(), audience: PARTY.to_owned() };
    let ring = Ed25519KeyRing::new(EncryptionKey::generate(), parties);
    let key = ring.create_key(KeyId::from_uuid(SystemEntropy.uuid()), SystemClock.now())?;
    ring.load(&[key])?;
    Ok(Arc::new(ring))
}

/// Claims of a person's fresh token.
fn claims() -> AccessClaims {
    let issued_at = SystemClock.now().trunc_subsecs(0);
    let (user_id, grant_id) =
        (UserId::from_uuid(SystemEntropy.uuid()), GrantId::from_uuid(SystemEntropy.uuid()));
    AccessClaims {
        id: TokenId::from_uuid(SystemEntropy.uuid()),
        subject: TokenSubject::Person { user_id, grant_id },
        client_id: ClientId::from_uuid(SystemEntropy.uuid()),
        scopes: ScopeSet::CONSENTABLE,
        audience: Resource::Api,
        issued_at,
        expires_at: AccessClaims::end_from(issued_at),
    }
}
