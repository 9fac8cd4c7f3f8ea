//! New labels as one list per column.

use application::ports::storage::StorageError;
use domain::supplement::{CatalogueKey, Supplement};
use store_shared::column::{DayCell, IdCell, TimeCell};
use store_shared::{LabelRow, upc_digits};

/// New current versions as one list per column.
#[derive(Default)]
pub(crate) struct NewSupplements {
    pub(crate) ids: Vec<IdCell>,
    pub(crate) catalogue_sources: Vec<String>,
    pub(crate) catalogue_keys: Vec<String>,
    pub(crate) brands: Vec<String>,
    pub(crate) names: Vec<String>,
    pub(crate) servings: Vec<String>,
    pub(crate) upcs: Vec<String>,
    pub(crate) label_dates: Vec<Option<DayCell>>,
    pub(crate) entry_dates: Vec<TimeCell>,
    pub(crate) ingredients: Vec<String>,
    pub(crate) upc_digits: Vec<Option<String>>,
}

impl NewSupplements {
    pub(crate) fn from_labels(labels: &[(CatalogueKey, Supplement)]) -> Result<Self, StorageError> {
        let mut columns = Self::default();
        for (key, version) in labels {
            columns.push(key, version)?;
        }
        Ok(columns)
    }

    fn push(&mut self, key: &CatalogueKey, version: &Supplement) -> Result<(), StorageError> {
        let LabelRow { id, brand, name, servings, upc, label_date, entry_date, ingredients } =
            LabelRow::from_supplement(version)?;
        let (source, key) = key.clone().into_parts();
        self.ids.push(id);
        self.catalogue_sources.push(source);
        self.catalogue_keys.push(key);
        self.brands.push(brand);
        self.names.push(name);
        self.servings.push(servings);
        self.upcs.push(upc);
        self.label_dates.push(label_date);
        self.entry_dates.push(entry_date);
        self.ingredients.push(ingredients);
        self.upc_digits.push(upc_digits(&version.label));
        Ok(())
    }
}
