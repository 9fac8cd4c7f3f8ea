//! Stores the demo data.

use super::{DEMO_EMAIL, DEMO_TIMEZONE, demo_user_id, id_of};
use crate::audit;
use crate::operator::{
    ClientError, CodeIssuer, IssueCode, IssueCodeCommand, IssueCodeError, RotateClientSecret,
    new_client_secret,
};
use crate::ports::storage::{StorageError, UnitOfWork, UnitOfWorkFactory};
use crate::ports::system::{Clock, Entropy};
use crate::synthetic::{SyntheticPerson, days_before};
use crate::token::commit_grant;
use chrono::{DateTime, NaiveDate, NaiveTime, Utc};
use domain::audit::{AuditActor, AuditEvent, AuditKind};
use domain::client::{Client, ClientKind, ClientName, ClientPages, ClientStatus, RedirectUri, Review};
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
use domain::user::{
    BiologicalSex, Biology, BirthDate, BloodType, BodyHeight, BodyWeight, Email, SkinType, User, UserStatus,
};
use std::sync::Arc;

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
pub enum SeedDemoError {
    /// A part of the demo data fails validation: a bug.
    #[error("the demo data is invalid: {0}")]
    Invalid(&'static str),
    /// The client could not be changed.
    #[error(transparent)]
    Client(#[from] ClientError),
    /// The code could not be issued: the demo user was locked or the client disabled.
    #[error(transparent)]
    Code(#[from] IssueCodeError),
    /// The store failed.
    #[error(transparent)]
    Storage(#[from] StorageError),
}

crate::audit::use_case! {
    /// Seeds the demo.
    SeedDemo
}

impl SeedDemo {
    /// Creates the user if missing, adds the data up to the start of `today` or else up to now, and returns
    /// their id. Must run before setting a password, which discards unredeemed codes.
    pub async fn person(&self, today: Option<NaiveDate>) -> Result<UserId, SeedDemoError> {
        let zone = TimeZone::parse(DEMO_TIMEZONE).map_err(|_| SeedDemoError::Invalid("zone"))?;
        let until = today.map_or_else(|| self.trail.now(), |today| zone.first_instant_of(today));
        let user = demo_user(zone, until)?;
        let mut unit = self.units.begin().await?;
        let events = self.prepare_person(unit.as_mut(), &user, until).await?;
        audit::commit(unit, &events).await?;
        Ok(user.id)
    }

    /// Creates the client if missing, then a new client secret (the previous one stays live), a code and a
    /// grant of the user that [`person`](Self::person) has created.
    pub async fn run(&self) -> Result<SeededDemo, SeedDemoError> {
        let user_id = demo_user_id();
        let client = demo_client(self.trail.now())?;
        let client_secret = self.prepare(&client).await?;
        let scopes = ScopeSet::CONSENTABLE;
        let command = IssueCodeCommand {
            issuer: CodeIssuer::Operator,
            client_id: client.id,
            user_id,
            redirect_uri: DEMO_REDIRECT_URI.to_owned(),
            scopes,
            challenge: None,
            lifetime: CodeLifetime::MAX,
        };
        let (units, entropy, clock) = self.ports();
        let issued = IssueCode::new(units, entropy, clock).run(command).await?;
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

    fn ports(&self) -> (Arc<dyn UnitOfWorkFactory>, Arc<dyn Entropy>, Arc<dyn Clock>) {
        (Arc::clone(&self.units), Arc::clone(&self.trail.entropy), Arc::clone(&self.trail.clock))
    }

    /// Creates the client if missing; returns a live secret of it.
    async fn prepare(&self, client: &Client) -> Result<Secret, SeedDemoError> {
        let mut unit = self.units.begin().await?;
        if unit.clients().find(client.id).await?.is_some() {
            unit.rollback().await?;
            let (units, entropy, clock) = self.ports();
            return Ok(RotateClientSecret::new(units, entropy, clock).run(client.id, None).await?);
        }
        let (secret, stored) = new_client_secret(self.trail.entropy.as_ref(), self.trail.now());
        unit.clients().insert(client).await?;
        unit.clients().insert_secret(client.id, &stored).await?;
        audit::commit(unit, &[self.event(AuditKind::ClientCreated).client(client.id)]).await?;
        Ok(secret)
    }

    async fn prepare_person(
        &self,
        unit: &mut dyn UnitOfWork,
        user: &User,
        until: DateTime<Utc>,
    ) -> Result<Vec<AuditEvent>, SeedDemoError> {
        let is_new = unit.users().find(user.id).await?.is_none();
        if is_new {
            insert_person(unit, user).await?;
        }
        let is_changed = insert_records(unit, user, until).await?;
        let kinds = [(is_new, AuditKind::UserCreated), (is_changed, AuditKind::ImportStarted)];
        let kinds = kinds.into_iter().filter(|(happened, _)| *happened);
        Ok(kinds.map(|(_, kind)| self.event(kind).user(user.id)).collect())
    }

    fn event(&self, kind: AuditKind) -> AuditEvent {
        self.trail.event(AuditActor::Operator, kind)
    }

    async fn grant(
        &self,
        user_id: UserId,
        client_id: ClientId,
        scopes: ScopeSet,
    ) -> Result<Secret, SeedDemoError> {
        let refresh_token = Secret::from_bytes(SecretKind::RefreshToken, &self.trail.entropy.secret_bytes());
        let grant = Grant {
            id: GrantId::from_uuid(self.trail.entropy.uuid()),
            client_id,
            user_id,
            scopes,
            resource: Resource::Api,
            refresh_token_hash: refresh_token.hash(),
            newest_token_hash: None,
            created_at: self.trail.now(),
            last_used_at: None,
            last_used_from: None,
            state: GrantState::Live,
        };
        commit_grant(self.units.begin().await?, &grant, &self.trail, (AuditActor::Operator, None)).await?;
        Ok(refresh_token)
    }
}

/// Stores the user; labels already in the catalogue are kept.
async fn insert_person(unit: &mut dyn UnitOfWork, user: &User) -> Result<(), SeedDemoError> {
    unit.users().insert(user).await?;
    for (key, supplement) in generator(user).supplements() {
        if unit.supplements().find(supplement.id).await?.is_none() {
            unit.supplements().insert(&[(key, supplement)]).await?;
        }
    }
    Ok(())
}

/// Stores the nights and intakes after the latest stored ones and up to this time; returns whether there were
/// any. Records that the person deleted stay deleted.
async fn insert_records(
    unit: &mut dyn UnitOfWork,
    user: &User,
    until: DateTime<Utc>,
) -> Result<bool, SeedDemoError> {
    let today = local_date(until.timestamp_millis(), user.home_timezone);
    let (generator, mut days) = (generator(user), days_before(today, STORY));
    // Last night and the intakes so far.
    days.push(today);
    let mut sessions = generator.sessions(&days);
    let ids: Vec<_> = sessions.iter().map(|session| session.id).collect();
    let stored = unit.sleep().find_many(user.id, &ids).await?;
    let latest = stored.iter().map(|session| session.record.time_in_bed().start()).max();
    let is_new = |session: &SleepSession| latest.is_none_or(|at| session.record.time_in_bed().start() > at);
    sessions.retain(|session| is_new(session) && session.updated_at <= until);
    let mut logs = generator.logs(&days);
    let ids: Vec<_> = logs.iter().map(|log| log.id).collect();
    let stored = unit.intake_logs().find_many(user.id, &ids).await?;
    let latest = stored.iter().map(|log| log.record.created_at()).max();
    let is_new = |log: &IntakeLog| latest.is_none_or(|at| log.record.created_at() > at);
    logs.retain(|log| is_new(log) && log.record.created_at() <= until);
    if !sessions.is_empty() {
        unit.sleep().insert(user.id, &sessions).await?;
    }
    if !logs.is_empty() {
        unit.intake_logs().insert(user.id, &logs).await?;
    }
    Ok(!sessions.is_empty() || !logs.is_empty())
}

const fn generator(user: &User) -> SyntheticPerson {
    SyntheticPerson::new(user.id, STORY, user.home_timezone)
}

fn demo_user(zone: TimeZone, until: DateTime<Utc>) -> Result<User, SeedDemoError> {
    let today = local_date(until.timestamp_millis(), zone);
    let first = days_before(today, STORY).first().and_then(NaiveDate::pred_opt);
    let created = first.unwrap_or(today).and_time(NaiveTime::MIN).and_utc();
    Ok(User {
        id: demo_user_id(),
        email: Email::parse(DEMO_EMAIL).map_err(|_| SeedDemoError::Invalid("address"))?,
        home_timezone: zone,
        created_at: created,
        status: UserStatus::Active,
        biology: Biology {
            birth_date: BirthDate::parse("1990-05-17").ok(),
            biological_sex: Some(BiologicalSex::Female),
            blood_type: Some(BloodType::OPositive),
            height: BodyHeight::from_centimetres(171.0).ok(),
            weight: BodyWeight::from_kilograms(64.5).ok(),
            skin_type: SkinType::new(3).ok(),
            wheelchair_use: Some(false),
        },
    })
}

fn demo_client(now: DateTime<Utc>) -> Result<Client, SeedDemoError> {
    Ok(Client {
        id: ClientId::from_uuid(id_of("client")),
        name: ClientName::parse("Restwell Demo App").map_err(|_| SeedDemoError::Invalid("client name"))?,
        kind: ClientKind::App,
        redirect_uris: vec![
            RedirectUri::parse(DEMO_REDIRECT_URI).map_err(|_| SeedDemoError::Invalid("redirect URI"))?,
        ],
        pages: ClientPages::default(),
        contact: None,
        review: Review::BY_OPERATOR,
        scopes: ScopeSet::CONSENTABLE,
        allow_query_secrets: true,
        require_pkce: false,
        status: ClientStatus::Active,
        document: None,
        created_at: now,
    })
}
