//! Clients with a metadata document: nothing is fetched here.

use super::*;
use domain::client::{MetadataDocument, MetadataUrl};

const URL: &str = "https://owl.example/client.json";

/// A public app whose document has expired.
fn published_app() -> Client {
    let url = MetadataUrl::parse(URL).unwrap();
    let id = url.client_id();
    Client { id, document: Some(MetadataDocument { url, fresh_until: noon() - seconds(9) }), ..public_app() }
}

async fn identify(client: Client, policy: MetadataPolicy, id: &str) -> Outcome {
    let authentication = authentication(known_without_secrets(client), MockFailureCounter::new());
    let authentication = ClientAuthentication { metadata_policy: policy, ..authentication };
    authentication.authenticate(without_secret(QuerySecrets::None, id)).await
}

fn listed() -> MetadataPolicy {
    MetadataPolicy::Listed(vec!["owl.example".to_owned()])
}

#[tokio::test]
async fn the_stored_client_is_identified_by_its_url_also_after_its_document_expired() {
    assert_eq!(identify(published_app(), listed(), URL).await.unwrap(), published_app());
}

#[tokio::test]
async fn its_stored_id_and_another_url_do_not_identify_it() {
    let outcome = identify(published_app(), listed(), &published_app().id.to_string()).await;
    assert!(matches!(outcome, Err(ClientAuthenticationError::SecretMissing(_))), "{outcome:?}");
    for id in ["https://owl.example/other.json", "https://owl.example/"] {
        assert_invalid_client(identify(published_app(), listed(), id).await);
    }
}

#[tokio::test]
async fn a_host_that_is_no_longer_accepted_ends_refreshes() {
    for policy in [MetadataPolicy::Off, MetadataPolicy::Listed(vec!["other.example".to_owned()])] {
        assert_invalid_client(identify(published_app(), policy, URL).await);
    }
}

#[tokio::test]
async fn a_disabled_one_is_refused() {
    let disabled = Client { status: ClientStatus::Disabled { at: noon() }, ..published_app() };
    assert_invalid_client(identify(disabled, listed(), URL).await);
}
