//! The one script: looks, counts and answers in a single step.

use crate::fault::Fault;
use redis::Script;
use redis::aio::MultiplexedConnection;

/// Answers for each request, in turn, how many were counted before it. A request that finds the limit reached is not
/// counted (decisions 4), which a plain INCR could not do. The counter goes a while after its day: by seconds from now,
/// so that the store's clock may be wrong.
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

/// One request, as the store counts it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Count {
    /// The key of its counter.
    pub(crate) key: String,
    /// How many requests are counted at most.
    pub(crate) limit: u32,
    /// How long the counter lives from its first request on.
    pub(crate) seconds_to_live: i64,
}

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

    /// Counts requests, each unless its limit is reached already; returns for each how many were counted before.
    ///
    /// One round trip, by the script's hash. A server that does not know the script any more is given it again.
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

    /// Counts one request.
    pub(crate) async fn count_one(
        &self,
        connection: &mut MultiplexedConnection,
        count: &Count,
    ) -> Result<u32, Fault> {
        let used = self.count(connection, std::iter::once(count)).await?;
        used.first().copied().ok_or(Fault::Protocol)
    }
}
