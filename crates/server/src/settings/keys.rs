//! The section `keys`.

use super::secret_text::SecretText;
use super::section::section;
use std::path::PathBuf;

section! {
    /// The key that encrypts private signing keys, queued email and the secrets of authenticator apps in the
    /// store.
    KeySettings("keys") {
        /// As printed by `restwell key generate`; the same on every replica. Default on a loopback server:
        /// the file `restwell.key` beside the embedded store, else in `storage.data_dir`.
        encryption_key: Option<SecretText> = None, "`rwk_` and 43 characters", "rwk_...";
        /// File that contains `keys.encryption_key`.
        encryption_key_file: Option<PathBuf> = None, "path", "/run/secrets/restwell-key";
    }
}
