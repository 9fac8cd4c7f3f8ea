//! Product codes in place of supplement ids.

use domain::id::SupplementId;
use domain::supplement::Upc;
use uuid::Uuid;

/// Returns a placeholder id for a product code until the catalogue is asked; the same code gives the same id.
pub(crate) fn placeholder_id(upc: &Upc) -> SupplementId {
    let name = format!("upc:{}", upc.as_str());
    SupplementId::from_uuid(Uuid::new_v5(&Uuid::NAMESPACE_OID, name.as_bytes()))
}
