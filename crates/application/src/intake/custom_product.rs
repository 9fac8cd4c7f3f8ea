//! A person's own products: supplements that the catalogue does not have.

use crate::audit;
use crate::ports::storage::{StorageError, SupplementReader, UniqueKey, UnitOfWork};
use domain::audit::{AuditActor, AuditKind};
use domain::id::{FormId, SupplementId, UserId};
use domain::supplement::{CatalogueKey, LabelChange, Supplement, SupplementLabel};
use std::sync::Arc;

/// Maximum number of own products of a person.
const MAX_CUSTOM_PRODUCTS: usize = 200;

/// Errors of [`CustomProducts`].
#[derive(Debug, thiserror::Error)]
pub enum CustomProductError {
    /// The person has no such product.
    #[error("there is no such product")]
    Unknown,
    /// An entry refers to the product.
    #[error("the product was logged")]
    InUse,
    /// The person has as many products as allowed.
    #[error("the limit of products is reached")]
    TooMany,
    /// The same form was sent before with other values.
    #[error("the form was sent before with other values")]
    SentBefore,
    /// The store failed.
    #[error(transparent)]
    Storage(#[from] StorageError),
}

audit::use_case! {
    /// Creates, changes and deletes own products.
    CustomProducts { reader: Arc<dyn SupplementReader> }
}

impl CustomProducts {
    /// Creates a product and returns its id. `entry` is the id of the form; sending it twice creates one
    /// product.
    pub async fn create(
        &self,
        user_id: UserId,
        entry: FormId,
        label: SupplementLabel,
    ) -> Result<SupplementId, CustomProductError> {
        if self.reader.list_own(user_id).await?.len() >= MAX_CUSTOM_PRODUCTS {
            return Err(CustomProductError::TooMany);
        }
        let key = CatalogueKey::own(user_id, entry.as_uuid());
        let id = SupplementId::from_uuid(self.trail.entropy.uuid());
        let product = Supplement::enter(id, label, self.trail.now());
        let mut unit = self.units.begin().await?;
        match unit.supplements().insert(&[(key.clone(), product.clone())]).await {
            Ok(()) => self.commit(unit, user_id, id).await.map(|()| id),
            Err(StorageError::Conflict(UniqueKey::Supplement)) => {
                let known = unit.supplements().find_current(&key).await?;
                unit.rollback().await?;
                let same = known.filter(|known| known.label == product.label);
                same.map(|known| known.id).ok_or(CustomProductError::SentBefore)
            }
            Err(error) => Err(error.into()),
        }
    }

    /// Changes a product and returns the id of its current version. Entries that refer to it keep the label
    /// that they were made with.
    pub async fn change(
        &self,
        user_id: UserId,
        id: SupplementId,
        label: SupplementLabel,
    ) -> Result<SupplementId, CustomProductError> {
        let mut unit = self.units.begin().await?;
        let Some((key, known)) = find_current(unit.as_mut(), user_id, id).await? else {
            return unit.refuse(CustomProductError::Unknown).await;
        };
        let has_logs = unit.supplements().has_logs(known.id).await?;
        let id = match LabelChange::between(&known.label, &label, has_logs) {
            LabelChange::Unchanged => {
                unit.rollback().await?;
                return Ok(known.id);
            }
            LabelChange::UpdateInPlace => {
                let id = known.id;
                unit.supplements().update(&known.corrected(label)).await?;
                id
            }
            LabelChange::NewVersion => {
                let id = SupplementId::from_uuid(self.trail.entropy.uuid());
                let version = Supplement::enter(id, label, self.trail.now());
                unit.supplements().replace(known.id, &key, &version).await?;
                id
            }
        };
        self.commit(unit, user_id, id).await.map(|()| id)
    }

    /// Deletes a product that no entry refers to.
    pub async fn delete(&self, user_id: UserId, id: SupplementId) -> Result<(), CustomProductError> {
        let mut unit = self.units.begin().await?;
        let known = find_current(unit.as_mut(), user_id, id).await?;
        let error = match known {
            Some((_, known)) if unit.supplements().retract(known.id, None).await? => {
                return self.commit(unit, user_id, id).await;
            }
            Some(_) => CustomProductError::InUse,
            None => CustomProductError::Unknown,
        };
        unit.refuse(error).await
    }

    async fn commit(
        &self,
        unit: Box<dyn UnitOfWork>,
        user_id: UserId,
        id: SupplementId,
    ) -> Result<(), CustomProductError> {
        let event = self.trail.event(AuditActor::Person, AuditKind::LabelsWritten);
        Ok(audit::commit(unit, &[event.user(user_id).subject(id.as_uuid())]).await?)
    }
}

/// Returns the current version of a person's own product. Locks the person first: a new version refers to
/// them.
async fn find_current(
    unit: &mut dyn UnitOfWork,
    user_id: UserId,
    id: SupplementId,
) -> Result<Option<(CatalogueKey, Supplement)>, StorageError> {
    unit.users().find(user_id).await?;
    let found = unit.supplements().find(id).await?;
    let Some((key, _)) = found.filter(|(key, _)| key.owner() == Some(user_id)) else { return Ok(None) };
    let current = unit.supplements().find_current(&key).await?;
    Ok(current.map(|current| (key, current)))
}
