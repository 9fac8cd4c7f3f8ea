//! The ports for reads of the shared aggregates.

/// Implements the ports for a store of this crate, because a crate cannot implement one for another crate's
/// type.
#[macro_export]
macro_rules! implement_readers {
    ($store:ty) => {
        const _: () = {
            use application::ports::storage::{
                AuditFilter, AuditPosition, AuditReader, AuthorizationRequestReader,
                Claim, ClientReader, ClientUsageStore, ClientWithSecrets, CredentialReader, Credentials,
                GrantFilter, GrantReader, GrantWithUser, IdempotencyStore, IdempotentRequest, Import,
                ImportReader, Job, JobLeases, MailBacklog, OutboxReader, PasskeyReader, PasswordLinkReader,
                PasswordLinkWithAccount, PendingEvent, PendingSignInReader, PendingSignInWithEmail,
                PersonalTokenReader, ProfileReader, SandboxReader, SecondFactorReader,
                SecondFactorState, SessionReader, SessionWithUser, SigningKeyReader, StorageError,
                StoredResponse, WebhookReader,
            };
            use chrono::{DateTime, NaiveDate, TimeDelta, Utc};
            use domain::audit::AuditEvent;
            use domain::authorization_request::AuthorizationRequest;
            use domain::client::Client;
            use domain::client_usage::ClientUsage;
            use domain::grant::Grant;
            use domain::id::{
                AuthorizationRequestId, ClientId, GrantId, ImportId, SleepSessionId, UserId, WebhookEndpointId,
            };
            use domain::passkey::{CredentialId, Passkey};
            use domain::personal_token::PersonalToken;
            use domain::sandbox::SandboxPerson;
            use domain::scope::ScopeSet;
            use domain::secret::SecretHash;
            use domain::session::Session;
            use domain::signing_key::SigningKey;
            use domain::user::{Email, ProfileSource, User};
            use domain::webhook::{Delivery, EventKey, WebhookEndpoint};
            use uuid::Uuid;

            $crate::forward!($store as AuditReader {
                list_events(filter: AuditFilter, after: Option<AuditPosition>, limit: u32) -> Vec<AuditEvent>;
            });
            $crate::forward!($store as AuthorizationRequestReader {
                find_authorization_request(id: AuthorizationRequestId) -> Option<AuthorizationRequest>;
            });
            $crate::forward!($store as ClientReader {
                find_with_secrets(id: ClientId) -> Option<ClientWithSecrets>;
                list_clients(after: Option<ClientId>, limit: u32) -> Vec<Client>;
                list_own_clients(owner: UserId) -> Vec<Client>;
                count_draft_users(id: ClientId) -> u32;
            });
            $crate::forward!($store as ClientUsageStore {
                add_usage(sums: &[ClientUsage]) -> ();
                list_usage(id: ClientId, since: NaiveDate) -> Vec<ClientUsage>;
                delete_usage_before(before: NaiveDate, limit: u32) -> u64;
            });
            $crate::forward!($store as CredentialReader {
                find_credentials(email: &Email) -> Option<Credentials>;
            });
            $crate::forward!($store as GrantReader {
                find_by_refresh_token(hash: &SecretHash, user_id: Option<UserId>) -> Option<GrantWithUser>;
                list_grants(filter: GrantFilter, after: Option<GrantId>, limit: u32) -> Vec<Grant>;
                count_live_grants(client_id: ClientId, limit: u32) -> u32;
            });
            $crate::forward!($store as IdempotencyStore in idempotency {
                claim(
                    request: IdempotentRequest,
                    now: DateTime<Utc>,
                    abandoned_before: DateTime<Utc>,
                    expired_before: DateTime<Utc>
                ) -> Claim;
                renew(request: IdempotentRequest, now: DateTime<Utc>) -> bool;
                keep(request: IdempotentRequest, answer: &StoredResponse) -> ();
                release(request: IdempotentRequest) -> ();
                delete_before(before: DateTime<Utc>, limit: u32) -> u64;
            });
            $crate::forward!($store as ImportReader {
                find_import(id: ImportId) -> Option<Import>;
                list_imports(
                    user_id: Option<UserId>,
                    after: Option<(DateTime<Utc>, ImportId)>,
                    limit: u32
                ) -> Vec<Import>;
                has_notes(id: ImportId) -> bool;
                find_import_of_session(user_id: UserId, id: SleepSessionId) -> Option<ImportId>;
                find_upload_part(id: ImportId, position: u32) -> Option<Vec<u8>>;
            });
            $crate::forward!($store as JobLeases in job_lease {
                take(job: Job, holder: Uuid, hold_for: TimeDelta) -> bool;
                renew(job: Job, holder: Uuid, hold_for: TimeDelta) -> bool;
                finish(job: Job, holder: Uuid, due_after: TimeDelta) -> ();
            });
            $crate::forward!($store as OutboxReader {
                backlog() -> MailBacklog;
            });
            $crate::forward!($store as PasskeyReader {
                find_passkey(credential_id: &CredentialId) -> Option<Passkey>;
                list_passkeys(user_id: UserId) -> Vec<Passkey>;
            });
            $crate::forward!($store as PasswordLinkReader {
                find_password_link(hash: &SecretHash) -> Option<PasswordLinkWithAccount>;
            });
            $crate::forward!($store as PendingSignInReader {
                find_pending_sign_in(cookie_hash: &SecretHash) -> Option<PendingSignInWithEmail>;
            });
            $crate::forward!($store as PersonalTokenReader {
                list_personal_tokens(user_id: UserId) -> Vec<PersonalToken>;
            });
            $crate::forward!($store as ProfileReader {
                find_profile(user_id: UserId) -> Option<User>;
                list_sources(user_id: UserId) -> Vec<ProfileSource>;
                list_profiles(after: Option<UserId>, limit: u32) -> Vec<User>;
            });
            $crate::forward!($store as SandboxReader {
                list_sandbox_people(owner: Option<UserId>) -> Vec<SandboxPerson>;
            });
            $crate::forward!($store as SecondFactorReader {
                find_second_factor(user_id: UserId) -> Option<SecondFactorState>;
            });
            $crate::forward!($store as SessionReader {
                find_session(hash: &SecretHash) -> Option<SessionWithUser>;
                list_sessions(user_id: UserId) -> Vec<Session>;
            });
            $crate::forward!($store as SigningKeyReader {
                list_signing_keys() -> Vec<SigningKey>;
            });
            $crate::forward!($store as WebhookReader {
                list_endpoints(client_id: Option<ClientId>) -> Vec<WebhookEndpoint>;
                find_endpoint(id: WebhookEndpointId) -> Option<WebhookEndpoint>;
                list_due_events(endpoints: &[WebhookEndpointId], now: DateTime<Utc>, limit: u32) -> Vec<EventKey>;
                find_pending_event(key: EventKey) -> Option<PendingEvent>;
                list_live_scopes(client_id: ClientId, user_id: UserId) -> ScopeSet;
                list_deliveries(id: WebhookEndpointId, limit: u32) -> Vec<Delivery>;
                count_due_events(now: DateTime<Utc>) -> u64;
            });
        };
    };
}

/// Implements a port with functions of the same names.
#[doc(hidden)]
#[macro_export]
macro_rules! forward {
    ($store:ty as $port:ident { $($reads:tt)* }) => {
        $crate::forward!($store as $port in all { $($reads)* });
    };
    ($store:ty as $port:ident in $module:ident { $($read:ident($($key:ident: $type:ty),*) -> $found:ty;)* }) => {
        #[async_trait::async_trait]
        impl $port for $store {
            $(async fn $read(&self $(, $key: $type)*) -> Result<$found, StorageError> {
                $crate::$module::$read(self $(, $key)*).await
            })*
        }
    };
}

/// The functions of every module whose ports have no method of the same name.
#[doc(hidden)]
pub mod all {
    pub use crate::*;
}
