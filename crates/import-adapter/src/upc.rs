//! Product codes in the place of ids.

use domain::id::SupplementId;
use domain::supplement::Upc;
use uuid::Uuid;

/// Makes the id that stands for a product code until the catalogue is asked: the same for the same code.
pub(crate) fn standing_for(upc: &Upc) -> SupplementId {
    let name = format!("upc:{}", upc.as_str());
    SupplementId::from_uuid(Uuid::new_v5(&Uuid::NAMESPACE_OID, name.as_bytes()))
}
