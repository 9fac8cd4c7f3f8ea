//! Sessions that are not looked up, or whose use cannot be stored. The contract suite shows the others on
//! each store.

use super::support::units;
use crate::ports::storage::MockSessionReader;
use crate::ports::storage::test_support::PreparedUnitsOfWork;
use crate::session::Sessions;
use crate::testing::{ADDRESS, secret, session, store};
use domain::second_factor::SecondFactorPolicy;
use domain::secret::SecretKind;
use domain::session::SessionLifetime;
use std::sync::Arc;

fn sessions(units: &Arc<PreparedUnitsOfWork>) -> Sessions {
    Sessions {
        store: store(units),
        reader: Arc::new(MockSessionReader::new()),
        lifetime: SessionLifetime::default(),
        policy: SecondFactorPolicy::Optional,
        is_recording: Arc::default(),
    }
}

#[tokio::test]
async fn a_malformed_session_cookie_is_not_looked_up() {
    let sessions = sessions(&units([]));
    for cookie in
        ["", "owl", secret(SecretKind::Visit, 5).expose(), secret(SecretKind::RefreshToken, 5).expose()]
    {
        assert!(sessions.resume(cookie, ADDRESS).await.unwrap().is_none());
    }
}

#[tokio::test]
async fn a_use_that_cannot_be_recorded_is_tried_again_with_the_next_page() {
    let store = units([]);
    let sessions = sessions(&store);
    for tries in 1..=2 {
        sessions.record_use(&session(60)).await;
        assert_eq!(store.endings().opened(), tries);
    }
}
