use super::super::permit::BodyPermits;
use super::{IN_MEMORY, IncomingBody, Spool, blocking};
use crate::problem::{Fault, Problem};
use application::import::ingest::IngestBody as _;
use std::fs::OpenOptions;
use std::io::{Read as _, Write as _};

const MEBIBYTE: usize = 1024 * 1024;

/// Receives the first bytes of a body, in chunks as they arrive from the network.
async fn arrive(permits: &BodyPermits, bytes: usize) -> Result<IncomingBody, Problem> {
    let mut incoming = IncomingBody::default();
    let body: Vec<u8> = (0..bytes).map(|place| u8::try_from(place % 251).unwrap()).collect();
    for chunk in body.chunks(32 * 1024) {
        incoming.add(chunk, permits).await?;
    }
    Ok(incoming)
}

async fn whole(permits: &BodyPermits, bytes: usize) -> Spool {
    arrive(permits, bytes).await.unwrap().end().await.unwrap()
}

fn assert_busy<T>(outcome: Result<T, Problem>) {
    let problem = outcome.err().expect("a refusal");
    assert_eq!((problem.fault(), problem.fault().default_retry_after()), (Fault::IngestBusy, Some(5)));
}

#[tokio::test]
async fn a_body_is_read_back_unchanged_from_memory_and_from_a_file() {
    let permits = BodyPermits::default();
    for bytes in [0, 1, 100_000, IN_MEMORY, IN_MEMORY + 1, 3 * IN_MEMORY] {
        let spool = whole(&permits, bytes).await;
        // Twice in parallel: a body is validated first and then read.
        let (mut first, mut second) = (spool.open().unwrap(), spool.open().unwrap());
        let (mut one, mut other) = (Vec::new(), Vec::new());
        first.read_to_end(&mut one).unwrap();
        second.read_to_end(&mut other).unwrap();
        assert_eq!(one.len(), bytes);
        assert!(
            one == other && one.iter().enumerate().all(|(place, byte)| usize::from(*byte) == place % 251)
        );
    }
}

#[tokio::test]
async fn bodies_in_memory_share_a_limit_and_release_it() {
    let permits = BodyPermits::new(8 * MEBIBYTE, 1);
    let first = whole(&permits, 3 * MEBIBYTE).await;
    // An unfinished body occupies the memory received so far.
    let second = arrive(&permits, 3 * MEBIBYTE).await.unwrap();
    assert_busy(arrive(&permits, 3 * MEBIBYTE).await);
    // A rejected body holds nothing.
    let third = whole(&permits, 2 * MEBIBYTE).await;
    assert_busy(arrive(&permits, 1).await);
    drop(first);
    let again = whole(&permits, 3 * MEBIBYTE).await;
    assert_busy(arrive(&permits, 1).await);
    drop((second, third, again));
    whole(&permits, 4 * MEBIBYTE).await;
}

#[tokio::test]
async fn bodies_in_files_have_a_separate_limit_and_use_no_memory() {
    let permits = BodyPermits::new(5 * MEBIBYTE, 2);
    let files = [whole(&permits, 5 * MEBIBYTE).await, whole(&permits, 5 * MEBIBYTE).await];
    assert_busy(arrive(&permits, 5 * MEBIBYTE).await);
    // A short one is still accepted.
    let short = whole(&permits, MEBIBYTE).await;
    drop(files);
    drop(short);
    whole(&permits, 5 * MEBIBYTE).await;
}

#[tokio::test]
async fn a_full_disk_is_reported_as_busy_and_any_other_error_as_internal() {
    let full = blocking(|| OpenOptions::new().write(true).open("/dev/full")?.write_all(b"night")).await;
    let problem = full.unwrap_err();
    assert_eq!(problem.fault(), Fault::IngestBusy);
    assert!(problem.cause().is_some(), "the operator is not told why");
    let missing = blocking(|| OpenOptions::new().read(true).open("/nowhere/at/all")).await;
    assert_eq!(missing.err().map(|problem| problem.fault()), Some(Fault::InternalError));
}
