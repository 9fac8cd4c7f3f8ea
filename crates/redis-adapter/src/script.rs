//! Lua script that checks the limit and counts a request in one step.

use crate::fault::Fault;
use redis::Script;
use redis::aio::MultiplexedConnection;

/// Returns the count before this request. A request at the limit is not counted (decisions 4), which INCR
/// alone cannot do. The key expires after its day, in seconds from now, so that the store's clock does not
/// matter.
const COUNT: &str = "\
local used = tonumber(redis.call('GET', KEYS[1])) or 0
if used < tonumber(ARGV[1]) then
  redis.call('INCR', KEYS[1])
  if used == 0 then
    redis.call('EXPIRE', KEYS[1], ARGV[2])
  end
end
return used";

/// Arguments of the script.
#[derive(Debug)]
pub(crate) struct Count {
    /// Key of the counter.
    pub(crate) key: String,
    /// Maximum count.
    pub(crate) limit: u32,
    /// Lifetime of the counter from its first request.
    pub(crate) seconds_to_live: i64,
}

/// The script with its hash.
#[derive(Debug)]
pub(crate) struct CountScript(Script);

impl CountScript {
    pub(crate) fn new() -> Self {
        Self(Script::new(COUNT))
    }

    /// Loads the script into a newly started server.
    pub(crate) async fn load(&self, connection: &mut MultiplexedConnection) -> Result<(), Fault> {
        self.0.load_async(connection).await?;
        Ok(())
    }

    /// Counts a request unless its limit is reached; returns the count before it.
    ///
    /// Takes one round trip and calls the script by its hash. Loads it again if the server no longer has it.
    pub(crate) async fn count(
        &self,
        connection: &mut MultiplexedConnection,
        Count { key, limit, seconds_to_live }: &Count,
    ) -> Result<u32, Fault> {
        let used: i64 = self.0.key(key).arg(*limit).arg(*seconds_to_live).invoke_async(connection).await?;
        u32::try_from(used).map_err(|_| Fault::Protocol)
    }
}
