//! Memory for argon2: 19 MiB per hash with the default parameters.

use application::ports::system::PasswordHashingError;
use argon2::Block;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;
use tokio::time::{Instant, sleep};
use zeroize::Zeroize as _;

/// Time for which memory is kept after its last hash. Mapping it again costs about a third of a hash.
const IDLE: Duration = Duration::from_secs(2);

/// Minimum capacity, in blocks of 1 KiB: 33 MiB.
///
/// glibc serves an allocation from its arenas, which never shrink, once one of that size was freed; only
/// above 32 MiB does it map and unmap each one. Unused capacity never becomes resident.
const MAPPED_BLOCKS: usize = 33 * 1024;

/// Memory for one hash at a time.
#[derive(Default)]
pub(super) struct HashMemory {
    blocks: Vec<Block>,
}

impl HashMemory {
    /// Lends at least this many blocks and wipes them afterwards, because they are derived from a password.
    pub(super) fn with_blocks<T>(
        &mut self,
        count: usize,
        work: impl FnOnce(&mut [Block]) -> T,
    ) -> Result<T, PasswordHashingError> {
        if self.blocks.len() < count {
            // Frees the old blocks first, so that the peak is not the sum of both.
            self.blocks = Vec::new();
            let room = count.max(MAPPED_BLOCKS);
            self.blocks.try_reserve_exact(room).map_err(|_| PasswordHashingError::Failed)?;
            self.blocks.resize(count, Block::new());
        }
        let done = work(&mut self.blocks);
        self.blocks.iter_mut().take(count).for_each(Block::zeroize);
        Ok(done)
    }
}

/// Memory kept briefly for the next hash.
#[derive(Default)]
pub(super) struct HashMemoryPool {
    spare: Mutex<IdleMemories>,
}

#[derive(Default)]
struct IdleMemories {
    /// Most recently used last. It is reused first, so that after a burst the others become idle.
    memories: Vec<(Instant, HashMemory)>,
    /// Whether a task is releasing idle memory.
    is_watched: bool,
}

impl HashMemoryPool {
    /// Lends memory to a hash; creates it if none is idle.
    pub(super) fn lend<T>(self: &Arc<Self>, work: impl FnOnce(&mut HashMemory) -> T) -> T {
        let spare = self.with_spare(|spare| spare.memories.pop());
        let mut memory = spare.map(|(_, memory)| memory).unwrap_or_default();
        let done = work(&mut memory);
        let is_watched = self.with_spare(|spare| {
            spare.memories.push((Instant::now(), memory));
            std::mem::replace(&mut spare.is_watched, true)
        });
        if !is_watched {
            tokio::spawn(Arc::clone(self).release_idle());
        }
        done
    }

    /// Releases idle memory and ends when none is left.
    async fn release_idle(self: Arc<Self>) {
        loop {
            sleep(IDLE / 2).await;
            let (idle, is_watched) = self.with_spare(|spare| {
                let idle: Vec<_> =
                    spare.memories.extract_if(.., |(used, _)| used.elapsed() >= IDLE).collect();
                spare.is_watched = !spare.memories.is_empty();
                (idle, spare.is_watched)
            });
            drop(idle);
            if !is_watched {
                return;
            }
        }
    }

    fn with_spare<T>(&self, access: impl FnOnce(&mut IdleMemories) -> T) -> T {
        access(&mut self.spare.lock().unwrap_or_else(PoisonError::into_inner))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns the number of idle blocks.
    fn kept(pool: &HashMemoryPool) -> usize {
        pool.with_spare(|spare| spare.memories.iter().map(|(_, memory)| memory.blocks.len()).sum())
    }

    fn fill(blocks: &mut [Block]) {
        for block in blocks {
            block.as_mut().fill(7);
        }
    }

    fn hash(memory: &mut HashMemory) {
        memory.with_blocks(8, fill).unwrap();
    }

    fn two_hashes_at_once(pool: &Arc<HashMemoryPool>) {
        pool.lend(|first| {
            hash(first);
            pool.lend(hash);
        });
    }

    #[test]
    fn memory_is_wiped_after_each_hash_and_serves_the_next() {
        let mut memory = HashMemory::default();
        for count in [16, 8, 32] {
            let lent = memory.with_blocks(count, |blocks| {
                assert!(blocks.len() >= count);
                assert!(blocks.iter().all(|block| block.as_ref().iter().all(|word| *word == 0)));
                fill(&mut blocks[..count]);
            });
            assert_eq!(lent, Ok(()));
        }
        assert_eq!(memory.blocks.len(), 32);
        assert!(memory.blocks.capacity() >= MAPPED_BLOCKS);
    }

    #[test]
    fn requesting_more_memory_than_available_is_an_error() {
        let lent = HashMemory::default().with_blocks(usize::MAX / Block::SIZE, |_| ());
        assert_eq!(lent, Err(PasswordHashingError::Failed));
    }

    /// Waits 1 s, half the idle time, because no event shows that memory is not released.
    #[tokio::test]
    async fn memory_is_kept_between_hashes_and_released_when_none_follows() {
        let pool = Arc::new(HashMemoryPool::default());
        for _ in 0..3 {
            two_hashes_at_once(&pool);
            // As many as were lent concurrently.
            assert_eq!(kept(&pool), 16);
        }
        let started = Instant::now();
        while kept(&pool) > 0 {
            assert!(started.elapsed() < IDLE * 10, "nothing was released");
            sleep(IDLE / 20).await;
        }
        // Released memory is allocated and released again.
        pool.lend(hash);
        sleep(IDLE / 2).await;
        assert_eq!(kept(&pool), 8);
        while kept(&pool) > 0 {
            assert!(started.elapsed() < IDLE * 20, "nothing was released");
            sleep(IDLE / 20).await;
        }
    }

    #[tokio::test]
    async fn after_a_burst_one_hash_at_a_time_keeps_no_more_than_its_own_memory() {
        let pool = Arc::new(HashMemoryPool::default());
        two_hashes_at_once(&pool);
        let started = Instant::now();
        while kept(&pool) > 8 {
            assert!(started.elapsed() < IDLE * 10, "nothing was released");
            pool.lend(hash);
            sleep(IDLE / 20).await;
        }
        assert_eq!(kept(&pool), 8);
    }
}
