//! Product codes in place of supplement ids.

use domain::id::SupplementId;
use domain::supplement::Upc;
use uuid::Uuid;

/// Returns a placeholder id for a product code until it is looked up in the catalogue; it depends only on the
/// code.
pub(crate) fn placeholder_id(upc: &Upc) -> SupplementId {
    let name = format!("upc:{}", upc.as_str());
    SupplementId::from_uuid(Uuid::new_v5(&Uuid::NAMESPACE_OID, name.as_bytes()))
}
