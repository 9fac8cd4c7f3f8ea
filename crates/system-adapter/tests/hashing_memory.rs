//! Memory after password hashing; a separate test binary, because the memory of the whole process is
//! measured.

use application::ports::system::PasswordHasher as _;
use domain::password::Password;
use std::hint::black_box;
use std::sync::Arc;
use std::time::{Duration, Instant};
use system_adapter::{Argon2PasswordHasher, HashParameters, HashingLimits};
use tokio::task::{JoinSet, spawn_blocking};

/// Allocator of the program.
#[cfg(target_os = "linux")]
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

/// Concurrent checks, and rounds.
const AT_ONCE: usize = 8;
const ROUNDS: usize = 50;

type Outcome<T> = Result<T, Box<dyn std::error::Error>>;

/// Reads a line of `/proc/self/status` in MiB.
fn memory_mib(name: &str) -> Outcome<usize> {
    let status = std::fs::read_to_string("/proc/self/status")?;
    let line = status.lines().find_map(|line| line.strip_prefix(name)).ok_or("no such line")?;
    Ok(line.trim_matches([':', ' ', '\t', 'k', 'B']).parse::<usize>()? / 1024)
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn memory_is_released_after_400_checks() -> Outcome<()> {
    let limits = HashingLimits::for_this_machine(0, 32);
    let hasher = Arc::new(Argon2PasswordHasher::new(HashParameters::MINIMUM, limits).unwrap());
    let password = Password::parse("a quiet night in the hills").unwrap();
    let idle = memory_mib("VmRSS")?;
    for _ in 0..ROUNDS {
        let mut checks = JoinSet::new();
        for _ in 0..AT_ONCE {
            let (hasher, password) = (Arc::clone(&hasher), password.clone());
            checks.spawn(async move {
                // Other blocking work, such as a statement of the embedded store, also allocates.
                spawn_blocking(|| black_box(vec![1_u8; 4096])).await.unwrap();
                hasher.check(&password, None).await.unwrap();
            });
        }
        checks.join_all().await;
    }
    let peak = memory_mib("VmHWM")? - idle;
    assert!(peak <= limits.parallel() * 19 + 40, "{peak} MiB above {idle} MiB");
    let ended = Instant::now();
    while memory_mib("VmRSS")? > idle + 30 {
        let stays = memory_mib("VmRSS")?;
        assert!(ended.elapsed() < Duration::from_secs(10), "{stays} MiB stay of {peak} MiB above {idle} MiB");
        tokio::time::sleep(Duration::from_millis(100)).await;
    }
    Ok(())
}
