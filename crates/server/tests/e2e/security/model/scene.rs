//! Two servers on one database for all cases; each case has separate people and clients.

use super::action::Action;
use super::case::Case;
use crate::e2e::security::caller::{Caller, Form};
use crate::e2e::security::party::with_one_address;
use crate::e2e::server::Server;
use crate::e2e::world::World;
use application::ports::system::Entropy as _;
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::{Duration, Instant};
use system_adapter::SystemEntropy;

/// Time limit for a revocation to be seen everywhere (decisions 3).
const LIMIT: Duration = Duration::from_secs(2);

/// Timeout for new keys. The tests of key rotation check their time limit; here only the order counts.
const KEY_TIMEOUT: Duration = Duration::from_secs(20);

/// The servers and their store.
pub(super) struct Scene {
    pub(super) servers: [Server; 2],
    pub(super) callers: [Caller; 2],
    /// Time during which ended access may still be accepted.
    pub(super) grace_period: Duration,
    cases: AtomicU32,
    pub(super) world: World,
}

impl Scene {
    pub(super) fn new(world: World, access_cache: Duration) -> Self {
        // Limits against guessing are tested elsewhere.
        let world = with_one_address(world)
            .with("RESTWELL__TOKENS__ACCESS_CACHE_MILLISECONDS", &access_cache.as_millis().to_string())
            .with("RESTWELL__TOKENS__FAILURES_PER_CLIENT_AND_ADDRESS", "1000000")
            .with("RESTWELL__TOKENS__FAILURES_PER_ADDRESS", "1000000")
            .with("RESTWELL__ACCOUNTS__SIGN_IN_PER_ACCOUNT", "1000000")
            .with("RESTWELL__ACCOUNTS__SIGN_IN_PER_ACCOUNT_A_DAY", "1000000")
            .with("RESTWELL__ACCOUNTS__SIGN_IN_PER_ADDRESS", "1000000");
        let servers = [world.serve(), world.serve_as("second")];
        Self {
            callers: servers.each_ref().map(Caller::new),
            grace_period: if access_cache.is_zero() { Duration::ZERO } else { LIMIT },
            cases: AtomicU32::new(0),
            servers,
            world,
        }
    }

    /// Plays a sequence from the beginning; returns the step of an unexpected response.
    pub(super) async fn play(&self, actions: &[Action]) -> Result<(), String> {
        let number = self.cases.fetch_add(1, Ordering::Relaxed);
        let mut case = Case::begin(self, number).await?;
        for (step, action) in actions.iter().enumerate() {
            case.act(action).await.map_err(|mismatch| format!("step {step}, {action:?}: {mismatch}"))?;
        }
        case.finish().await.map_err(|mismatch| format!("in the end: {mismatch}"))
    }

    /// Waits until both servers publish this key alone.
    pub(super) async fn wait_for_only_key(&self, key_id: &str) -> Result<(), String> {
        let started = Instant::now();
        for caller in &self.callers {
            loop {
                let shown = caller.get("/.well-known/jwks.json", &Form(Vec::new())).await.json();
                let keys: Vec<_> =
                    shown["keys"].as_array().into_iter().flatten().map(|key| &key["kid"]).collect();
                if keys == [key_id] {
                    break;
                }
                if started.elapsed() > KEY_TIMEOUT {
                    return Err(format!("the retired keys are still shown: {keys:?}"));
                }
                tokio::time::sleep(Duration::from_millis(20)).await;
            }
        }
        Ok(())
    }
}

/// Generates a seed.
pub(super) fn draw_seed() -> u64 {
    SystemEntropy.uuid().as_u64_pair().0
}
