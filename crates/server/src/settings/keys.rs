//! The section `keys`.

use super::secret_text::SecretText;
use super::section::section;
use std::path::PathBuf;

section! {
    /// The key under which private signing keys are encrypted in the store.
    KeySettings("keys") {
        /// The encryption key, as `restwell key generate` prints it; the same for every replica. Not set and a
        /// loopback public URL: the file `restwell.key` beside the embedded store, else in `storage.data_dir`.
        encryption_key: Option<SecretText> = None, "`rwk_` and 43 characters", "rwk_...";
        /// A file that holds `keys.encryption_key`.
        encryption_key_file: Option<PathBuf> = None, "path", "/run/secrets/restwell-key";
    }
}
