//! What ports and use cases both return. Nothing here uses either.

pub(crate) mod change_page;
pub(crate) mod import_report;
pub(crate) mod ingest_item;
pub(crate) mod sleep_page;
pub(crate) mod stored_import;
pub(crate) mod supplement_page;
pub(crate) mod undone;
