//! Cache of decoded labels.

use application::ports::storage::StorageError;
use domain::supplement::Supplement;
use moka::sync::Cache;
use std::sync::Arc;
use store_shared::column::IdCell;
use store_shared::{LabelRow, Stored as _};

/// Memory limit of the cache in bytes; enough for some thousand labels.
const MAX_CACHE_BYTES: u64 = 4 * 1024 * 1024;
/// Approximate size of a label without its ingredients, in bytes.
const LABEL_BASE_BYTES: usize = 1_024;
/// Approximate size of ingredients in memory together with their JSON, as a multiple of the JSON.
const TIMES_JSON: usize = 4;

/// Row and the version decoded from it.
type DecodedLabel = Arc<(LabelRow, Arc<Supplement>)>;

/// Cache that saves each page request the decoding of its labels: JSON parsing and validation.
///
/// A hit requires that the whole row is equal, so no invalidation is needed. The catalogue is not health
/// data, and the cache does not record which users take a supplement.
pub(crate) struct KnownLabels(Cache<IdCell, DecodedLabel>);

impl KnownLabels {
    /// Creates an empty cache.
    pub(crate) fn new() -> Self {
        let weight = |_: &IdCell, known: &DecodedLabel| {
            let ingredients = known.0.ingredients.len().saturating_mul(TIMES_JSON);
            u32::try_from(ingredients.saturating_add(LABEL_BASE_BYTES)).unwrap_or(u32::MAX)
        };
        Self(Cache::builder().max_capacity(MAX_CACHE_BYTES).weigher(weight).build())
    }

    /// Returns the version from the cache, or decodes and caches it.
    pub(crate) fn version(&self, row: LabelRow) -> Result<Arc<Supplement>, StorageError> {
        if let Some(known) = self.0.get(&row.id).filter(|known| known.0 == row) {
            return Ok(Arc::clone(&known.1));
        }
        let version = Arc::new(row.clone().into_value()?);
        self.0.insert(row.id, Arc::new((row, Arc::clone(&version))));
        Ok(version)
    }
}

#[cfg(test)]
mod tests {
    use super::KnownLabels;
    use application::ports::storage::StorageError;
    use chrono::DateTime;
    use std::sync::Arc;
    use store_shared::LabelRow;
    use store_shared::column::Held as _;
    use uuid::Uuid;

    fn row(name: &str, ingredients: &str) -> LabelRow {
        LabelRow {
            id: Uuid::from_u128(7).cell(),
            brand: String::new(),
            name: name.to_owned(),
            servings: String::new(),
            upc: String::new(),
            label_date: None,
            entry_date: DateTime::UNIX_EPOCH.cell(),
            ingredients: ingredients.to_owned(),
        }
    }

    const ZINC: &str = r#"[{"name":"Zinc","quantity":5.0,"unit":"mg","active":true}]"#;

    #[test]
    fn an_unchanged_row_is_decoded_once() {
        let labels = KnownLabels::new();
        let first = labels.version(row("Capsule", ZINC)).unwrap();
        let second = labels.version(row("Capsule", ZINC)).unwrap();
        assert!(Arc::ptr_eq(&first, &second));
    }

    #[test]
    fn a_changed_row_is_decoded_again() {
        let labels = KnownLabels::new();
        labels.version(row("Capsule", ZINC)).unwrap();
        assert_eq!(labels.version(row("Tablet", ZINC)).unwrap().label.name(), "Tablet");
        let without = labels.version(row("Tablet", "[]")).unwrap();
        assert!(without.label.ingredients().is_empty());
        assert_eq!(labels.version(row("Capsule", ZINC)).unwrap().label.name(), "Capsule");
    }

    #[test]
    fn a_corrupt_row_is_refused_each_time_and_not_remembered() {
        let labels = KnownLabels::new();
        for _ in 0..2 {
            let refused = labels.version(row("Capsule", r#"[{"name":7}]"#));
            assert!(matches!(refused, Err(StorageError::Corrupt { column: "ingredients", .. })));
        }
        labels.version(row("Capsule", ZINC)).unwrap();
        assert!(labels.version(row("Capsule", "{}")).is_err());
    }
}
