//! The section `clients`.

use super::problem::Problem;
use super::section::{SettingValue, section};
use super::text_list::TextList;
use domain::client::{MetadataPolicy, MetadataUrl};
use serde::Deserialize;

section! {
    /// Apps that need no registration, because their `client_id` is the https URL of a document about them
    /// (client ID metadata documents). Many assistants work like this.
    ClientSettings("clients") {
        /// `listed`: apps of the hosts in `metadata_document_hosts`. `any`: apps of all hosts; those of other
        /// hosts are shown as not reviewed. `off`: none.
        metadata_documents: MetadataDocuments = Some("listed"), "off, listed or any", "any";
        /// Hosts whose apps you trust, with the port unless it is 443. Removing a host also stops the refresh
        /// of its apps' tokens.
        metadata_document_hosts: TextList = Some(""), "list of hosts, comma-separated in the environment", "claude.ai, dev.example.org:8443";
    }
}

/// Whose metadata documents are accepted.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum MetadataDocuments {
    Off,
    Listed,
    Any,
}

impl SettingValue for MetadataDocuments {
    const KIND: &'static str = "off, listed or any";

    fn format_value(&self) -> String {
        let text = match self {
            Self::Off => "off",
            Self::Listed => "listed",
            Self::Any => "any",
        };
        text.to_owned()
    }
}

impl ClientSettings {
    /// Returns which metadata documents are accepted.
    pub(crate) fn metadata_policy(&self) -> MetadataPolicy {
        let hosts = || self.metadata_document_hosts.0.clone();
        match self.metadata_documents {
            MetadataDocuments::Off => MetadataPolicy::Off,
            MetadataDocuments::Listed => MetadataPolicy::Listed(hosts()),
            MetadataDocuments::Any => MetadataPolicy::Any(hosts()),
        }
    }

    pub(super) fn problems(&self) -> Vec<Problem> {
        let numbered = self.metadata_document_hosts.0.iter().zip(1_usize..);
        let wrong = numbered.filter(|(host, _)| !is_host(host));
        wrong
            .map(|(_, number)| {
                let text = format!(
                    "entry {number} is not a host; enter app.example.org or app.example.org:8443, \
                     in lower case, without https:// and without *"
                );
                Problem::new("clients.metadata_document_hosts", text)
            })
            .collect()
    }
}

/// Returns whether a text is a host in exactly the form in which it is compared.
fn is_host(text: &str) -> bool {
    let is_name = !text.contains(['/', '*', '?']);
    is_name && MetadataUrl::parse(&format!("https://{text}/x")).is_ok_and(|url| url.host() == text)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_host_is_written_as_it_is_compared() {
        for text in
            ["claude.ai", "dev.example.org:8443", "xn--bcher-kva.example", "192.0.2.1", "[2001:db8::1]"]
        {
            assert!(is_host(text), "{text}");
        }
        for text in [
            "",
            "*",
            "*.example.org",
            "https://claude.ai",
            "claude.ai/",
            "Claude.ai",
            "claude.ai:443",
            "a b",
            "a@b",
            "a#",
        ] {
            assert!(!is_host(text), "{text}");
        }
    }
}
