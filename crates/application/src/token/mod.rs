//! OAuth tokens: client authentication, issuing, refresh, introspection and revocation (RFC 6749; decisions 2
//! and 3).

mod authenticate_client;
mod introspect_token;
mod issue_service_token;
mod new_grant;
mod redeem_code;
mod refresh_access;
mod revoke_token;

pub use authenticate_client::*;
pub use introspect_token::*;
pub use issue_service_token::*;
pub(crate) use new_grant::{commit_grant, commit_redeemed_grant, created};
pub use redeem_code::*;
pub use refresh_access::*;
pub use revoke_token::*;

use crate::audit::AuditTrail;
use crate::ports::system::{Clock, Entropy, SigningFailed, TokenSigner};
use chrono::{DateTime, SubsecRound, Utc};
use derive_more::Constructor;
use domain::access_token::{AccessClaims, TokenSubject};
use domain::id::{ClientId, TokenId};
use domain::resource::Resource;
use domain::scope::ScopeSet;
use std::sync::Arc;

/// Creates access tokens.
#[derive(Clone, Constructor)]
pub struct TokenMint {
    signer: Arc<dyn TokenSigner>,
    entropy: Arc<dyn Entropy>,
    clock: Arc<dyn Clock>,
}

impl TokenMint {
    fn now(&self) -> DateTime<Utc> {
        self.clock.now()
    }

    fn trail(&self) -> AuditTrail {
        AuditTrail::new(self.entropy.clone(), self.clock.clone())
    }

    /// Signs a token issued at `now`, truncated to seconds as is usual for RFC 7519 dates.
    fn access_token(&self, terms: TokenTerms, now: DateTime<Utc>) -> Result<String, SigningFailed> {
        let TokenTerms { subject, client_id, scopes, audience } = terms;
        let issued_at = now.trunc_subsecs(0);
        self.signer.sign(&AccessClaims {
            id: TokenId::from_uuid(self.entropy.uuid()),
            subject,
            client_id,
            scopes,
            audience,
            issued_at,
            expires_at: AccessClaims::end_from(issued_at),
        })
    }
}

/// Subject, client, scopes and audience of an access token.
#[derive(Debug, Clone, Copy)]
struct TokenTerms {
    subject: TokenSubject,
    client_id: ClientId,
    scopes: ScopeSet,
    audience: Resource,
}

/// Parses the `scope` parameter (RFC 6749 sections 3.3 and 6). Absent or empty, it selects all granted
/// scopes; `None` if it exceeds them.
fn narrowed(granted: ScopeSet, asked: Option<&str>) -> Option<ScopeSet> {
    let Some(text) = asked else { return Some(granted) };
    let scopes = ScopeSet::parse(text).ok()?;
    (!scopes.is_empty() && scopes.is_subset_of(granted)).then_some(scopes)
}

#[cfg(test)]
mod tests;
