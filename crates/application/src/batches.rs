//! Deletion in batches.

/// Rows per batch: keeps statements well below the store's timeout, and other writers' waits short.
pub(crate) const BATCH: u32 = 500;

/// Repeats a deletion of at most [`BATCH`] rows until it deletes fewer; returns the total.
pub(crate) async fn in_batches<E>(mut delete: impl AsyncFnMut() -> Result<u64, E>) -> Result<u64, E> {
    let mut total = 0;
    loop {
        let deleted = delete().await?;
        total += deleted;
        if deleted < u64::from(BATCH) {
            return Ok(total);
        }
    }
}
