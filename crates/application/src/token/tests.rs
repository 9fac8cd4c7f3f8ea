//! Tests of the token services.

mod client_authentication;
mod introspection;
mod redemption;
mod refresh;
mod revocation;
mod service_token;

use super::Tokens;
use crate::access::TokenCheck;
use crate::audit::testing::RecordedReads;
use crate::ports::storage::test_support::PreparedUnitsOfWork;
use crate::ports::storage::{MockAccessReader, MockClientReader, MockGrantReader};
use crate::ports::system::{MockTokenVerifier, MockUnknownKeyReload};
use crate::testing::{RecordingSigner, store};
use std::sync::Arc;

/// Tokens of a store. The signer signs everything; the other ports expect no call.
fn tokens(units: &Arc<PreparedUnitsOfWork>) -> Tokens {
    Tokens {
        store: store(units),
        signer: Arc::new(RecordingSigner::default()),
        check: TokenCheck::new(Arc::new(MockTokenVerifier::new()), Arc::new(MockUnknownKeyReload::new())),
        grants: Arc::new(MockGrantReader::new()),
        access: Arc::new(MockAccessReader::new()),
        clients: Arc::new(MockClientReader::new()),
        reads: Arc::<RecordedReads>::default().recorder(),
    }
}
