//! The one script: looks, counts and answers in a single step.

use crate::fault::Fault;
use redis::Script;
use redis::aio::MultiplexedConnection;

/// Answers how many requests were counted before this one. A request that finds the limit reached is not counted
/// (decisions 4), which a plain INCR could not do. The counter goes a while after its day: by seconds from now, so
/// that the store's clock may be wrong.
const COUNT: &str = "\
local used = tonumber(redis.call('GET', KEYS[1])) or 0
if used < tonumber(ARGV[1]) then
  redis.call('INCR', KEYS[1])
  if used == 0 then
    redis.call('EXPIRE', KEYS[1], ARGV[2])
  end
end
return used";

/// The script, with its hash made once.
#[derive(Debug)]
pub(crate) struct CountScript(Script);

impl CountScript {
    pub(crate) fn new() -> Self {
        Self(Script::new(COUNT))
    }

    /// Gives the script to the server, for a server that has just started.
    pub(crate) async fn load(&self, connection: &mut MultiplexedConnection) -> Result<(), Fault> {
        self.0.load_async(connection).await?;
        Ok(())
    }

    /// Counts one request under this key, unless `limit` is reached already; returns how many were counted before.
    ///
    /// One round trip, by the script's hash. A server that does not know the script any more is given it again.
    pub(crate) async fn count(
        &self,
        connection: &mut MultiplexedConnection,
        key: &str,
        limit: u32,
        seconds_to_live: i64,
    ) -> Result<u32, Fault> {
        let mut call = self.0.key(key);
        let used: i64 = call.arg(limit).arg(seconds_to_live).invoke_async(connection).await?;
        u32::try_from(used).map_err(|_| Fault::Protocol)
    }
}
