//! Finds labels by the code under their bar code.

use crate::ports::storage::{CatalogueVersion, StorageError, UnitOfWorkFactory};
use domain::supplement::Upc;
use std::sync::Arc;

/// Finds labels by the code under their bar code.
pub struct FindLabels {
    units: Arc<dyn UnitOfWorkFactory>,
}

impl FindLabels {
    /// Takes the port.
    pub fn new(units: Arc<dyn UnitOfWorkFactory>) -> Self {
        Self { units }
    }

    /// Returns every version, current or replaced, whose label carries this code in any spelling: by ascending key,
    /// the current version of a key first; empty when the catalogue knows none.
    pub async fn run(&self, upc: &Upc) -> Result<Vec<CatalogueVersion>, StorageError> {
        let mut unit = self.units.begin().await?;
        let found = unit.supplements().list_by_upc(upc).await?;
        unit.rollback().await?;
        Ok(found)
    }
}

#[cfg(test)]
mod tests {
    use super::FindLabels;
    use crate::ports::storage::StorageError;
    use crate::ports::storage::test_support::{MockUnitOfWork, PreparedUnitsOfWork};
    use domain::supplement::Upc;
    use std::sync::Arc;

    #[tokio::test]
    async fn a_failing_store_is_told() {
        let mut unit = MockUnitOfWork::default();
        unit.supplements.expect_list_by_upc().times(1).returning(|_| Err(StorageError::Retryable));
        let find = FindLabels::new(Arc::new(PreparedUnitsOfWork::new([unit])));
        let upc = Upc::parse("033674491119").unwrap();
        assert!(matches!(find.run(&upc).await, Err(StorageError::Retryable)));
        assert!(matches!(find.run(&upc).await, Err(StorageError::Unavailable)));
    }
}
