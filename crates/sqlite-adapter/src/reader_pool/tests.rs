use super::*;
use crate::testing::empty_location;
use std::sync::mpsc;
use std::time::Duration;
use tempfile::TempDir;

fn pool(size: usize, busy_timeout: Duration) -> (ReaderPool, TempDir) {
    let (location, directory) = empty_location();
    let location = Location { busy_timeout, ..location };
    let first = location.connect(Role::Reader).unwrap();
    (ReaderPool::new(first, size, location), directory)
}

#[tokio::test]
async fn a_read_times_out_if_every_connection_is_busy() {
    let (pool, _directory) = pool(1, Duration::from_millis(50));
    let (release, released) = mpsc::channel::<()>();
    let busy = pool.run(move |_| {
        released.recv().unwrap();
        Ok(())
    });
    let impatient = async {
        let answer = pool.run(|_| Ok(())).await;
        release.send(()).unwrap();
        answer
    };
    let (first, second) = tokio::join!(busy, impatient);
    assert!(first.is_ok());
    assert!(matches!(second, Err(StorageError::Unavailable)));
}

#[tokio::test]
async fn cancelled_reads_lose_no_connection() {
    let (pool, _directory) = pool(2, Duration::from_secs(5));
    let mut earlier = None;
    for _ in 0..20 {
        let (release, released) = mpsc::channel::<()>();
        let slow = pool.run(move |_| {
            // Returns once the sender is dropped.
            let _ = released.recv();
            Ok(())
        });
        assert!(tokio::time::timeout(Duration::from_millis(1), slow).await.is_err());
        // The previous read was still running.
        earlier = Some(release);
    }
    drop(earlier);
    assert!(matches!(pool.run(|_| Ok(7)).await, Ok(7)));
    // The last cancelled read ends when its thread is scheduled.
    let ended = async {
        while pool.permits.available_permits() < 2 {
            tokio::time::sleep(Duration::from_millis(5)).await;
        }
    };
    tokio::time::timeout(Duration::from_mins(1), ended).await.expect("both connections come back");
    let open = pool.source.idle.lock().unwrap().len();
    assert!((1..=2).contains(&open), "{open}");
}

#[tokio::test]
async fn a_further_connection_is_opened_when_the_first_is_busy_and_only_then() {
    let (pool, _directory) = pool(2, Duration::from_secs(5));
    let open = || pool.source.idle.lock().unwrap().len();
    for _ in 0..3 {
        assert!(pool.run(|_| Ok(())).await.is_ok());
    }
    assert_eq!(open(), 1);
    let (release, released) = mpsc::channel::<()>();
    let busy = pool.run(move |_| {
        released.recv().unwrap();
        Ok(())
    });
    let meanwhile = async {
        let answer = pool.run(|_| Ok(())).await;
        release.send(()).unwrap();
        answer
    };
    let (first, second) = tokio::join!(busy, meanwhile);
    assert!(first.is_ok() && second.is_ok());
    assert_eq!(open(), 2);
}

#[tokio::test]
async fn no_connection_is_opened_to_a_file_that_replaced_the_first() {
    let (pool, directory) = pool(2, Duration::from_secs(5));
    let other = directory.path().join("other");
    std::fs::copy(&pool.source.location.path, &other).unwrap();
    std::fs::rename(&other, &pool.source.location.path).unwrap();
    assert!(matches!(pool.source.open(), Err(StorageError::Unavailable)));
    assert!(pool.run(|_| Ok(())).await.is_ok());
}

#[tokio::test]
async fn a_read_that_panics_leaves_its_connection_usable() {
    let (pool, _directory) = pool(1, Duration::from_secs(5));
    let panicked: Result<(), StorageError> = pool.run(|_| panic!("made up")).await;
    assert!(matches!(panicked, Err(StorageError::Internal(_))));
    assert!(matches!(pool.run(|_| Ok(7)).await, Ok(7)));
}

#[tokio::test]
async fn a_single_row_is_read_on_the_thread_that_asks_and_nothing_else_is() {
    let (pool, _directory) = pool(2, Duration::from_secs(5));
    let thread = |_: &mut SqliteConnection| Ok(std::thread::current().id());
    assert_eq!(pool.run_here(thread).await.unwrap(), std::thread::current().id());
    assert_ne!(pool.run(thread).await.unwrap(), std::thread::current().id());
}

#[tokio::test]
async fn a_single_row_uses_a_blocking_thread_if_no_connection_is_open_and_unused() {
    for size in [1, 2] {
        let (pool, _directory) = pool(size, Duration::from_secs(5));
        let (release, released) = mpsc::channel::<()>();
        let busy = pool.run(move |_| {
            released.recv().unwrap();
            Ok(())
        });
        let meanwhile = pool.run_here(|_| Ok(std::thread::current().id()));
        // Polled last: by then the single row is queued, or has a connection.
        let late = async { release.send(()).unwrap() };
        let (first, thread, ()) = tokio::join!(busy, meanwhile, late);
        assert!(first.is_ok());
        assert_ne!(thread.unwrap(), std::thread::current().id());
    }
}

#[tokio::test]
async fn a_read_on_this_thread_that_panics_leaves_its_connection_usable() {
    let (pool, _directory) = pool(1, Duration::from_secs(5));
    let pool = Arc::new(pool);
    let reading = Arc::clone(&pool);
    let panicked = tokio::spawn(async move { reading.run_here::<()>(|_| panic!("made up")).await });
    assert!(panicked.await.is_err());
    assert!(matches!(pool.run_here(|_| Ok(7)).await, Ok(7)));
}
