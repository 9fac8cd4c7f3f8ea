//! The ports for reads of the shared aggregates.

/// Implements the ports for a store of this crate, because a crate cannot implement one for another crate's
/// type.
#[macro_export]
macro_rules! implement_readers {
    ($store:ty) => {
        const _: () = {
            use application::ports::storage::{
                AuditFilter, AuditPosition, AuditReader, ClientReader, ClientWithSecrets, PendingEvent, SessionReader, SessionWithUser, WebhookReader, AuthorizationRequestReader, MailBacklog,
                OutboxReader, PasskeyReader, PasswordLinkReader, PasswordLinkWithAccount,
                PendingSignInReader, PendingSignInWithEmail, PersonalTokenReader, SandboxReader,
                SecondFactorReader, SecondFactorState, SigningKeyReader, StorageError,
            };
            use domain::audit::AuditEvent;
            use domain::authorization_request::AuthorizationRequest;
            use chrono::{DateTime, Utc};
            use domain::client::Client;
            use domain::id::{AuthorizationRequestId, ClientId, UserId, WebhookEndpointId};
            use domain::scope::ScopeSet;
            use domain::session::Session;
            use domain::webhook::{Delivery, EventKey, WebhookEndpoint};
            use domain::passkey::{CredentialId, Passkey};
            use domain::personal_token::PersonalToken;
            use domain::sandbox::SandboxPerson;
            use domain::secret::SecretHash;
            use domain::signing_key::SigningKey;

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
    ($store:ty as $port:ident { $($read:ident($($key:ident: $type:ty),*) -> $found:ty;)* }) => {
        #[async_trait::async_trait]
        impl $port for $store {
            $(async fn $read(&self $(, $key: $type)*) -> Result<$found, StorageError> {
                $crate::$read(self $(, $key)*).await
            })*
        }
    };
}
