//! Links that are not looked up. The contract suite shows the others on each store.

use super::support::{password_links, units};
use crate::testing::secret;
use domain::secret::SecretKind;

#[tokio::test]
async fn a_malformed_link_is_not_looked_up() {
    let links = password_links(&units([]));
    for text in ["", "owl", secret(SecretKind::Session, 9).expose()] {
        assert_eq!(links.find(text).await.unwrap(), None);
    }
}
