//! Stores the demo data.

use super::{DEMO_EMAIL, DEMO_TIMEZONE, demo_logs, demo_sessions, demo_supplements, demo_user_id, id_of};
use crate::audit;
use crate::operator::{
    ClientError, IssueCode, IssueCodeCommand, IssueCodeError, RotateClientSecret, new_client_secret,
};
use crate::ports::storage::{StorageError, UnitOfWork, UnitOfWorkFactory};
use crate::ports::system::{Clock, Entropy};
use crate::token::commit_grant;
use chrono::{DateTime, NaiveDate, NaiveTime, Utc};
use domain::audit::{AuditActor, AuditEvent, AuditKind};
use domain::client::{Client, ClientKind, ClientName, ClientStatus, RedirectUri};
use domain::code::CodeLifetime;
use domain::grant::{Grant, GrantState};
use domain::id::{ClientId, GrantId, UserId};
use domain::scope::ScopeSet;
use domain::secret::{Secret, SecretKind};
use domain::time::TimeZone;
use domain::user::{
    BiologicalSex, Biology, BirthDate, BloodType, BodyHeight, BodyWeight, Email, SkinType, User, UserStatus,
};
use std::sync::Arc;

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
    #[error("the demo's own data are not valid: {0}")]
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
    /// Creates the user with their data if missing, and returns their id. Must run before setting a password,
    /// which discards unredeemed codes.
    pub async fn person(&self) -> Result<UserId, SeedDemoError> {
        let user = demo_user()?;
        let mut unit = self.units.begin().await?;
        let events = self.prepare_person(unit.as_mut(), &user).await?;
        audit::commit(unit, &events).await?;
        Ok(user.id)
    }

    /// Creates what is missing, then a new client secret (the previous one stays live), a code and a grant.
    pub async fn run(&self) -> Result<SeededDemo, SeedDemoError> {
        let user = demo_user()?;
        let client = demo_client(self.clock.now())?;
        let client_secret = self.prepare(&user, &client).await?;
        let scopes = ScopeSet::CONSENTABLE;
        let command = IssueCodeCommand {
            client_id: client.id,
            user_id: user.id,
            redirect_uri: DEMO_REDIRECT_URI.to_owned(),
            scopes,
            lifetime: CodeLifetime::MAX,
        };
        let (units, entropy, clock) = self.ports();
        let issued = IssueCode::new(units, entropy, clock).run(command).await?;
        let refresh_token = self.grant(user.id, client.id, scopes).await?;
        Ok(SeededDemo {
            user_id: user.id,
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
        (Arc::clone(&self.units), Arc::clone(&self.trail.entropy), Arc::clone(&self.clock))
    }

    /// Creates user, data and client if missing; returns a live secret of the client.
    async fn prepare(&self, user: &User, client: &Client) -> Result<Secret, SeedDemoError> {
        let mut unit = self.units.begin().await?;
        let mut events = self.prepare_person(unit.as_mut(), user).await?;
        if unit.clients().find(client.id).await?.is_some() {
            audit::commit(unit, &events).await?;
            let (units, entropy, clock) = self.ports();
            return Ok(RotateClientSecret::new(units, entropy, clock).run(client.id, None).await?);
        }
        let (secret, stored) = new_client_secret(self.trail.entropy.as_ref(), self.clock.now());
        unit.clients().insert(client, &stored).await?;
        events.push(self.event(AuditKind::ClientCreated).client(client.id));
        audit::commit(unit, &events).await?;
        Ok(secret)
    }

    async fn prepare_person(
        &self,
        unit: &mut dyn UnitOfWork,
        user: &User,
    ) -> Result<Vec<AuditEvent>, SeedDemoError> {
        if unit.users().find(user.id).await?.is_some() {
            return Ok(Vec::new());
        }
        insert_person(unit, user).await?;
        let kinds = [AuditKind::UserCreated, AuditKind::ImportStarted];
        Ok(kinds.map(|kind| self.event(kind).user(user.id)).into())
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
            refresh_token_hash: refresh_token.hash(),
            created_at: self.clock.now(),
            last_used_at: None,
            last_used_from: None,
            state: GrantState::Live,
        };
        commit_grant(self.units.begin().await?, &grant, &self.trail, (AuditActor::Operator, None)).await?;
        Ok(refresh_token)
    }
}

/// Stores the user with their nights and intake; labels already in the catalogue are kept.
async fn insert_person(unit: &mut dyn UnitOfWork, user: &User) -> Result<(), SeedDemoError> {
    unit.users().insert(user).await?;
    unit.sleep().insert(user.id, &demo_sessions(user.home_timezone)).await?;
    for (key, supplement) in demo_supplements() {
        if unit.supplements().find(supplement.id).await?.is_none() {
            unit.supplements().insert(&[(key, supplement)]).await?;
        }
    }
    unit.intake_logs().insert(user.id, &demo_logs(user.home_timezone)).await?;
    Ok(())
}

fn demo_user() -> Result<User, SeedDemoError> {
    let created = NaiveDate::from_ymd_opt(2026, 1, 1).unwrap_or_default().and_time(NaiveTime::MIN).and_utc();
    Ok(User {
        id: demo_user_id(),
        email: Email::parse(DEMO_EMAIL).map_err(|_| SeedDemoError::Invalid("address"))?,
        home_timezone: TimeZone::parse(DEMO_TIMEZONE).map_err(|_| SeedDemoError::Invalid("zone"))?,
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
        scopes: ScopeSet::CONSENTABLE,
        allow_query_secrets: true,
        require_pkce: false,
        status: ClientStatus::Active,
        created_at: now,
    })
}
