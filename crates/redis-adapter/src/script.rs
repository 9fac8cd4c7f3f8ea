//! Lua script that checks limits and counts requests atomically.

use crate::fault::Fault;
use redis::Script;
use redis::aio::MultiplexedConnection;

/// Returns, for each request, the count before it. A request at the limit is not counted (decisions 4), which
/// INCR alone cannot do. The key expires after its day, in seconds from now, so that the store's clock does
/// not matter.
const COUNT: &str = "\
local counted = {}
for place, key in ipairs(KEYS) do
  local used = tonumber(redis.call('GET', key)) or 0
  if used < tonumber(ARGV[2 * place - 1]) then
    redis.call('INCR', key)
    if used == 0 then
      redis.call('EXPIRE', key, ARGV[2 * place])
    end
  end
  counted[place] = used
end
return counted";

/// Arguments for one request.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Count {
    /// Key of its counter.
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

    /// Counts requests, each unless its limit is reached; returns the count before each.
    ///
    /// Takes one round trip and calls the script by its hash. Loads it again if the server no longer has it.
    pub(crate) async fn count(
        &self,
        connection: &mut MultiplexedConnection,
        counts: impl Iterator<Item = &Count>,
    ) -> Result<Vec<u32>, Fault> {
        let mut call = self.0.prepare_invoke();
        let mut asked = 0;
        for Count { key, limit, seconds_to_live } in counts {
            call.key(key).arg(*limit).arg(*seconds_to_live);
            asked += 1;
        }
        let used: Vec<i64> = call.invoke_async(connection).await?;
        let used: Result<Vec<u32>, _> = used.into_iter().map(u32::try_from).collect();
        used.ok().filter(|used| used.len() == asked).ok_or(Fault::Protocol)
    }

    pub(crate) async fn count_one(
        &self,
        connection: &mut MultiplexedConnection,
        count: &Count,
    ) -> Result<u32, Fault> {
        let used = self.count(connection, std::iter::once(count)).await?;
        used.first().copied().ok_or(Fault::Protocol)
    }
}
