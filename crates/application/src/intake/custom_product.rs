//! Custom products: supplements that the catalogue does not have.

use super::{IntakeError, Intakes};
use crate::ports::storage::{StorageError, UniqueKey, UnitOfWork};
use crate::store::transact;
use domain::audit::AuditKind;
use domain::id::{FormId, SupplementId, UserId};
use domain::supplement::{CatalogueKey, LabelChange, Supplement, SupplementLabel};

/// Maximum number of custom products of a person.
const MAX_CUSTOM_PRODUCTS: usize = 200;

impl Intakes {
    /// Creates a product and returns its id. Sending a form twice creates one product.
    pub async fn create_product(
        &self,
        user_id: UserId,
        form: FormId,
        label: SupplementLabel,
    ) -> Result<SupplementId, IntakeError> {
        if self.reader.list_own(user_id).await?.len() >= MAX_CUSTOM_PRODUCTS {
            return Err(IntakeError::TooManyProducts);
        }
        let key = CatalogueKey::own(user_id, form.as_uuid());
        let product = self.version(label);
        transact!(self.store, |tx| {
            match tx.supplements().insert(&[(key.clone(), product.clone())]).await {
                Ok(()) => self.record_label(tx, user_id, product.id).await,
                Err(StorageError::Conflict(UniqueKey::Supplement)) => {
                    let known = tx.supplements().find_current(&key).await?;
                    let same = known.filter(|known| known.label == product.label);
                    same.map(|known| known.id).ok_or(IntakeError::SentBefore)
                }
                Err(error) => Err(error.into()),
            }
        })
        .await
    }

    /// Changes a product and returns the id of its current version. Entries that refer to it keep the label
    /// that they were made with.
    pub async fn change_product(
        &self,
        user_id: UserId,
        id: SupplementId,
        label: SupplementLabel,
    ) -> Result<SupplementId, IntakeError> {
        transact!(self.store, |tx| {
            let found = find_current(tx, user_id, id).await?;
            let (key, known) = found.ok_or(IntakeError::UnknownSupplement)?;
            let has_logs = tx.supplements().has_logs(known.id).await?;
            match LabelChange::between(&known.label, &label, has_logs) {
                LabelChange::Unchanged => Ok(known.id),
                LabelChange::UpdateInPlace => {
                    let id = known.id;
                    tx.supplements().update(&known.corrected(label)).await?;
                    self.record_label(tx, user_id, id).await
                }
                LabelChange::NewVersion => {
                    let version = self.version(label);
                    tx.supplements().replace(known.id, &key, &version).await?;
                    self.record_label(tx, user_id, version.id).await
                }
            }
        })
        .await
    }

    /// Deletes a product, if there is one. Returns `false` and does nothing if an entry refers to it.
    pub async fn delete_product(&self, user_id: UserId, id: SupplementId) -> Result<bool, StorageError> {
        transact!(self.store, |tx| {
            let Some((_, known)) = find_current(tx, user_id, id).await? else { return Ok(true) };
            let is_deleted = tx.supplements().retract(known.id, None).await?;
            if is_deleted {
                tx.record(self.event(AuditKind::LabelsWritten, user_id, id.as_uuid())).await?;
            }
            Ok(is_deleted)
        })
        .await
    }

    /// Returns a new version of a product.
    fn version(&self, label: SupplementLabel) -> Supplement {
        let id = SupplementId::from_uuid(self.store.entropy().uuid());
        Supplement::enter(id, label, self.store.now())
    }

    /// Records that the label of a version was written, and returns its id.
    async fn record_label(
        &self,
        tx: &mut dyn UnitOfWork,
        user_id: UserId,
        id: SupplementId,
    ) -> Result<SupplementId, IntakeError> {
        tx.record(self.event(AuditKind::LabelsWritten, user_id, id.as_uuid())).await?;
        Ok(id)
    }
}

/// Returns the current version of a person's custom product. Locks the person first: a new version refers to
/// them.
async fn find_current(
    tx: &mut dyn UnitOfWork,
    user_id: UserId,
    id: SupplementId,
) -> Result<Option<(CatalogueKey, Supplement)>, StorageError> {
    tx.users().find(user_id).await?;
    let found = tx.supplements().find(id).await?;
    let Some((key, _)) = found.filter(|(key, _)| key.owner() == Some(user_id)) else { return Ok(None) };
    let current = tx.supplements().find_current(&key).await?;
    Ok(current.map(|current| (key, current)))
}
