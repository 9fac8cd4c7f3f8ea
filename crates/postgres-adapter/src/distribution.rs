//! Distribution of the tables over several nodes.

use crate::statement::returning;
use crate::store::PostgresStore;
use application::ports::storage::StorageError;
use diesel::sql_query;
use diesel::sql_types::{Array, BigInt, Bool, Text};

/// Where the tables of the store are.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Distribution {
    /// On one `PostgreSQL` server.
    OneServer,
    /// On a Citus coordinator, without a use of its workers.
    Undistributed,
    /// On a worker of a Citus cluster, which does not plan for the others.
    Worker,
    /// On the workers of a Citus cluster.
    Workers {
        /// Number of workers.
        count: i64,
        /// Addresses of those that the coordinator does not use.
        inactive: Vec<String>,
    },
}

const HAS_ENGINE: &str = "SELECT EXISTS (SELECT FROM pg_extension WHERE extname = 'citus')";

const LAYOUT: &str = "SELECT (SELECT groupid <> 0 FROM pg_dist_local_group),
    EXISTS (SELECT FROM pg_dist_partition WHERE logicalrelid = to_regclass('account')),
    (SELECT count(*) FROM pg_dist_node WHERE noderole = 'primary' AND groupid <> 0),
    ARRAY (SELECT format('%s:%s', nodename, nodeport) FROM pg_dist_node
        WHERE noderole = 'primary' AND NOT isactive ORDER BY 1)";

type LayoutColumns = (Bool, Bool, BigInt, Array<Text>);

impl PostgresStore {
    /// Reads where the tables are.
    pub async fn distribution(&self) -> Result<Distribution, StorageError> {
        let mut connection = self.pooled().await?;
        if !connection.load_one(returning::<Bool, _>(sql_query(HAS_ENGINE))).await? {
            return Ok(Distribution::OneServer);
        }
        let layout = returning::<LayoutColumns, _>(sql_query(LAYOUT));
        let (is_worker, is_distributed, count, inactive): (bool, bool, i64, Vec<String>) =
            connection.load_one(layout).await?;
        Ok(match (is_worker, is_distributed) {
            (true, _) => Distribution::Worker,
            (false, false) => Distribution::Undistributed,
            (false, true) => Distribution::Workers { count, inactive },
        })
    }
}
