//! A new label.

use application::ports::storage::StorageError;
use diesel::prelude::*;
use diesel::query_builder::{AstPass, QueryFragment, QueryId};
use diesel::sql_types::{Nullable, Text};
use diesel::sqlite::{Sqlite, SqliteConnection};
use domain::supplement::{CatalogueKey, Supplement};
use store_shared::column::{Day, Id, Instant};
use store_shared::{LabelRow, upc_digits};

/// A new current version, and the digits of its product code.
pub(super) struct NewLabel {
    key: CatalogueKey,
    row: LabelRow,
    upc_digits: Option<String>,
}

impl NewLabel {
    pub(super) fn from_label((key, supplement): &(CatalogueKey, Supplement)) -> Result<Self, StorageError> {
        let upc_digits = upc_digits(&supplement.label);
        Ok(Self { key: key.clone(), row: LabelRow::from_supplement(supplement)?, upc_digits })
    }
}

/// Insert statement with a constant text, so that it stays prepared by its type.
impl QueryFragment<Sqlite> for NewLabel {
    fn walk_ast<'b>(&'b self, mut out: AstPass<'_, 'b, Sqlite>) -> QueryResult<()> {
        let Self { key, row, upc_digits } = self;
        let LabelRow { id, brand, name, servings, upc, label_date, entry_date, ingredients } = row;
        out.push_sql(
            "INSERT INTO supplement (id, catalogue_source, catalogue_key, is_current, brand, name, servings, upc, \
             label_date, entry_date, ingredients, upc_digits) VALUES (?, ?, ?, 1, ?, ?, ?, ?, ?, ?, ?, ?)",
        );
        out.push_bind_param_value_only::<Id, _>(id)?;
        for text in [key.source(), key.key(), brand, name, servings, upc] {
            out.push_bind_param_value_only::<Text, _>(text)?;
        }
        out.push_bind_param_value_only::<Nullable<Day>, _>(label_date)?;
        out.push_bind_param_value_only::<Instant, _>(entry_date)?;
        out.push_bind_param_value_only::<Text, _>(ingredients)?;
        out.push_bind_param_value_only::<Nullable<Text>, _>(upc_digits)
    }
}

impl QueryId for NewLabel {
    type QueryId = Self;
    const HAS_STATIC_QUERY_ID: bool = true;
}

impl RunQueryDsl<SqliteConnection> for NewLabel {}
