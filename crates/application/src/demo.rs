//! The demo: a fictional user with fictional nights, so that every endpoint has data.
//!
//! The data is that of a regular sleeper ([`crate::synthetic`]), the same on every machine on the same day.
//! Only secrets are random.

use crate::client::{ClientError, new_client_secret, rotate_secret};
use crate::code::{CodeError, CodeIssuer, Codes, NewCode};
use crate::ports::storage::{StorageError, UnitOfWork};
use crate::store::{Store, transact};
use crate::synthetic::{SyntheticPerson, common_biology, days_before};
use crate::token::{created, revoke_excess};
use chrono::{DateTime, NaiveDate, NaiveTime, Utc};
use domain::audit::{AuditActor, AuditEvent, AuditKind};
use domain::client::{Client, ClientName, RedirectUri};
use domain::code::CodeLifetime;
use domain::grant::{Grant, GrantState};
use domain::id::{ClientId, GrantId, UserId};
use domain::resource::Resource;
use domain::sandbox::Story;
use domain::scope::ScopeSet;
use domain::secret::{Secret, SecretKind};
use domain::sleep::{SleepSession, local_date};
use domain::supplement::IntakeLog;
use domain::time::TimeZone;
use domain::user::{BiologicalSex, Biology, BirthDate, BodyHeight, BodyWeight, Email, User, UserStatus};
use uuid::{Uuid, uuid};

/// Namespace of the demo's ids.
const NAMESPACE: Uuid = uuid!("6f2b1f0e-3c57-4a55-9d1e-6a1d9c1f7a10");

/// The demo user's time zone.
pub const DEMO_TIMEZONE: &str = "America/New_York";

/// The demo user's email address; the domain is reserved for examples (RFC 2606).
pub const DEMO_EMAIL: &str = "demo@example.org";

/// Returns the demo user's id.
pub fn demo_user_id() -> UserId {
    UserId::from_uuid(id_of("user"))
}

/// Derives an id from a name.
fn id_of(name: &str) -> Uuid {
    Uuid::new_v5(&NAMESPACE, name.as_bytes())
}

/// Story of the demo's person.
const STORY: Story = Story::RegularSleeper;

/// Redirect URI of the demo's client.
pub const DEMO_REDIRECT_URI: &str = "http://localhost:9000/callback";

/// Result of seeding: everything that a first request needs. Only the hashes of the secrets are stored.
#[derive(Debug)]
pub struct SeededDemo {
    /// Id of the user.
    pub user_id: UserId,
    /// Id of the client.
    pub client_id: ClientId,
    /// New secret of the client.
    pub client_secret: Secret,
    /// The client's redirect URI.
    pub redirect_uri: &'static str,
    /// New authorization code, valid for ten minutes.
    pub code: Secret,
    /// Expiry of the code.
    pub code_expires_at: DateTime<Utc>,
    /// Refresh token of a separate grant.
    pub refresh_token: Secret,
    /// Scopes of code and refresh token.
    pub scopes: ScopeSet,
}

/// Errors of seeding.
#[derive(Debug, thiserror::Error)]
pub enum DemoError {
    /// A part of the demo data fails validation: a bug.
    #[error("the demo data is invalid: {0}")]
    Invalid(&'static str),
    /// The client could not be changed.
    #[error(transparent)]
    Client(#[from] ClientError),
    /// The code could not be issued: the demo user was locked or the client disabled.
    #[error(transparent)]
    Code(#[from] CodeError),
    /// The store failed.
    #[error(transparent)]
    Storage(#[from] StorageError),
}

/// The data of the demo.
pub struct Demo {
    /// The store.
    pub store: Store,
    /// Codes in the same store.
    pub codes: Codes,
}

impl Demo {
    /// Creates the user if missing, adds the data up to the start of `today` or else up to now, and returns
    /// their id. Must run before setting a password, which discards unredeemed codes.
    pub async fn seed_person(&self, today: Option<NaiveDate>) -> Result<UserId, DemoError> {
        let zone = TimeZone::parse(DEMO_TIMEZONE).map_err(|_| DemoError::Invalid("zone"))?;
        let until = today.map_or_else(|| self.store.now(), |today| zone.first_instant_of(today));
        let user = demo_user(zone, until)?;
        transact!(self.store, |tx| {
            let is_new = tx.users().find(user.id).await?.is_none();
            if is_new {
                insert_person(tx, &user).await?;
            }
            let is_changed = insert_records(tx, &user, until).await?;
            let kinds = [(is_new, AuditKind::UserCreated), (is_changed, AuditKind::ImportStarted)];
            for (_, kind) in kinds.into_iter().filter(|(happened, _)| *happened) {
                tx.record(self.event(kind).user(user.id)).await?;
            }
            Ok(user.id)
        })
        .await
    }

    /// Creates the client if missing, then a new client secret (the previous one stays live), a code and a
    /// grant of the user that [`seed_person`](Self::seed_person) has created.
    pub async fn seed_client(&self) -> Result<SeededDemo, DemoError> {
        let user_id = demo_user_id();
        let client = demo_client(self.store.now())?;
        let client_secret = self.prepare(&client).await?;
        let scopes = ScopeSet::CONSENTABLE;
        let new = NewCode {
            client_id: client.id,
            user_id,
            redirect_uri: DEMO_REDIRECT_URI.to_owned(),
            scopes,
            challenge: None,
            lifetime: CodeLifetime::MAX,
        };
        let issued = self.codes.issue(CodeIssuer::Operator, new).await?;
        let refresh_token = self.grant(user_id, client.id, scopes).await?;
        Ok(SeededDemo {
            user_id,
            client_id: client.id,
            client_secret,
            redirect_uri: DEMO_REDIRECT_URI,
            code: issued.code,
            code_expires_at: issued.expires_at,
            refresh_token,
            scopes,
        })
    }

    /// Creates the client if missing; returns a live secret of it.
    async fn prepare(&self, client: &Client) -> Result<Secret, DemoError> {
        let inserted = transact!(self.store, |tx| {
            if tx.clients().find(client.id).await?.is_some() {
                return Ok(None);
            }
            let (secret, stored) = new_client_secret(self.store.entropy(), self.store.now());
            tx.clients().insert(client).await?;
            tx.clients().insert_secret(client.id, &stored).await?;
            tx.record(self.event(AuditKind::ClientCreated).client(client.id)).await?;
            Ok::<_, StorageError>(Some(secret))
        });
        if let Some(secret) = inserted.await? {
            return Ok(secret);
        }
        Ok(rotate_secret(&self.store, client.id, None).await?)
    }

    fn event(&self, kind: AuditKind) -> AuditEvent {
        self.store.event(AuditActor::Operator, kind)
    }

    async fn grant(
        &self,
        user_id: UserId,
        client_id: ClientId,
        scopes: ScopeSet,
    ) -> Result<Secret, DemoError> {
        let refresh_token = self.store.new_secret(SecretKind::RefreshToken);
        let grant = Grant {
            id: GrantId::from_uuid(self.store.entropy().uuid()),
            client_id,
            user_id,
            scopes,
            resource: Resource::Api,
            refresh_token_hash: refresh_token.hash(),
            newest_token_hash: None,
            created_at: self.store.now(),
            last_used_at: None,
            last_used_from: None,
            state: GrantState::Live,
        };
        transact!(self.store, |tx| {
            tx.grants().insert(&grant).await?;
            tx.record(created(&self.store, AuditActor::Operator, &grant)).await?;
            revoke_excess(tx, &self.store, &grant).await
        })
        .await?;
        Ok(refresh_token)
    }
}

/// Stores the user; labels already in the catalogue are kept.
async fn insert_person(tx: &mut dyn UnitOfWork, user: &User) -> Result<(), DemoError> {
    tx.users().insert(user).await?;
    for (key, supplement) in generator(user).supplements() {
        if tx.supplements().find(supplement.id).await?.is_none() {
            tx.supplements().insert(&[(key, supplement)]).await?;
        }
    }
    Ok(())
}

/// Stores the nights and intakes after the latest stored ones and up to this time; returns whether there were
/// any. Records that the person deleted stay deleted.
async fn insert_records(
    tx: &mut dyn UnitOfWork,
    user: &User,
    until: DateTime<Utc>,
) -> Result<bool, DemoError> {
    let today = local_date(until.timestamp_millis(), user.home_timezone);
    let (generator, mut days) = (generator(user), days_before(today, STORY));
    // Last night and the intakes so far.
    days.push(today);
    let mut sessions = generator.sessions(&days);
    let ids: Vec<_> = sessions.iter().map(|session| session.id).collect();
    let stored = tx.sleep().find_many(user.id, &ids).await?;
    let latest = stored.iter().map(|session| session.record.time_in_bed().start()).max();
    let is_new = |session: &SleepSession| latest.is_none_or(|at| session.record.time_in_bed().start() > at);
    sessions.retain(|session| is_new(session) && session.updated_at <= until);
    let mut logs = generator.logs(&days);
    let ids: Vec<_> = logs.iter().map(|log| log.id).collect();
    let stored = tx.intake_logs().find_many(user.id, &ids).await?;
    let latest = stored.iter().map(|log| log.record.created_at()).max();
    let is_new = |log: &IntakeLog| latest.is_none_or(|at| log.record.created_at() > at);
    logs.retain(|log| is_new(log) && log.record.created_at() <= until);
    if !sessions.is_empty() {
        tx.sleep().insert(user.id, &sessions).await?;
    }
    if !logs.is_empty() {
        tx.intake_logs().insert(user.id, &logs).await?;
    }
    Ok(!sessions.is_empty() || !logs.is_empty())
}

const fn generator(user: &User) -> SyntheticPerson {
    SyntheticPerson::new(user.id, STORY, user.home_timezone)
}

fn demo_user(zone: TimeZone, until: DateTime<Utc>) -> Result<User, DemoError> {
    let today = local_date(until.timestamp_millis(), zone);
    let first = days_before(today, STORY).first().and_then(NaiveDate::pred_opt);
    let created = first.unwrap_or(today).and_time(NaiveTime::MIN).and_utc();
    Ok(User {
        id: demo_user_id(),
        email: Email::parse(DEMO_EMAIL).map_err(|_| DemoError::Invalid("address"))?,
        home_timezone: zone,
        created_at: created,
        status: UserStatus::Active,
        biology: Biology {
            birth_date: BirthDate::parse("1990-05-17").ok(),
            biological_sex: Some(BiologicalSex::Female),
            height: BodyHeight::from_centimetres(171.0).ok(),
            weight: BodyWeight::from_kilograms(64.5).ok(),
            ..common_biology()
        },
    })
}

fn demo_client(now: DateTime<Utc>) -> Result<Client, DemoError> {
    let id = ClientId::from_uuid(id_of("client"));
    let name = ClientName::parse("Restwell Demo App").map_err(|_| DemoError::Invalid("client name"))?;
    let uri = RedirectUri::parse(DEMO_REDIRECT_URI).map_err(|_| DemoError::Invalid("redirect URI"))?;
    Ok(Client::new(id, name, vec![uri], ScopeSet::CONSENTABLE, now))
}
