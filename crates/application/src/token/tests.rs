//! Tests of the token use cases.

mod authenticate_client;
mod introspect_token;
mod issue_service_token;
mod redeem_code;
mod refresh_access;
mod revoke_token;

use super::TokenMint;
use crate::ports::system::TokenSigner;
use crate::testing::{clock, entropy};
use std::sync::Arc;

fn mint(signer: Arc<dyn TokenSigner>) -> TokenMint {
    TokenMint::new(signer, entropy(), clock())
}
