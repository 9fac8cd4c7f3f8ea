//! Password of the demo user: generated once and stored next to the store, so it is the same at every start.

use crate::cli::output;
use crate::wiring::{Services, Store};
use anyhow::Context;
use application::demo::DEMO_EMAIL;
use application::ports::system::{Entropy, PasswordHasher};
use domain::id::UserId;
use domain::password::Password;
use domain::user::Email;
use std::fs::{self, OpenOptions};
use std::io::{self, Write as _};
use std::os::unix::fs::OpenOptionsExt as _;
use std::path::Path;
use system_adapter::SystemEntropy;
use zeroize::Zeroizing;

/// File in the demo's folder that only its owner may read. The demo also prints the password.
const FILE: &str = "password";

/// Whether a password matches that of the demo user.
#[derive(Debug, PartialEq, Eq)]
enum PasswordState {
    Matches,
    Differs,
    Unset,
}

/// Returns the demo user's password: the one of the last start, or a new one if the file is lost. A new
/// password is announced, because it ends existing sessions.
pub(super) async fn of_demo(
    services: &Services,
    user_id: UserId,
    folder: &Path,
) -> anyhow::Result<Zeroizing<String>> {
    let hasher = services.password_hasher()?;
    let kept = read_stored(&folder.join(FILE)).context("the demo's password cannot be read")?;
    let state = password_state(&services.store, hasher.as_ref(), &kept).await?;
    if state == PasswordState::Matches {
        return Ok(kept);
    }
    let password = generate_password();
    services
        .passwords(hasher, None)
        .set(user_id, &password)
        .await
        .context("the password of the demo person cannot be set")?;
    write(&folder.join(FILE), &password).context("the password of the demo person cannot be saved")?;
    if state == PasswordState::Differs {
        output::note(
            "The demo person has a new password: the previous one was changed, or its file is missing.",
        );
    }
    Ok(password)
}

async fn password_state(
    store: &Store,
    hasher: &dyn PasswordHasher,
    kept: &str,
) -> anyhow::Result<PasswordState> {
    let found = store.credentials.find_credentials(&Email::parse(DEMO_EMAIL)?).await?;
    let Some(hash) = found.and_then(|credentials| credentials.password) else {
        return Ok(PasswordState::Unset);
    };
    let Ok(password) = Password::parse(kept) else { return Ok(PasswordState::Differs) };
    let is_right = hasher.check(&password, Some(&hash)).await?.is_right;
    Ok(if is_right { PasswordState::Matches } else { PasswordState::Differs })
}

fn generate_password() -> Zeroizing<String> {
    let drawn = Zeroizing::new(SystemEntropy.uuid().simple().to_string());
    let groups: Vec<&str> = (0..5).filter_map(|group| drawn.get(group * 4..group * 4 + 4)).collect();
    Zeroizing::new(groups.join("-"))
}

/// Reads the stored password; empty if there is none.
fn read_stored(file: &Path) -> io::Result<Zeroizing<String>> {
    match fs::read_to_string(file) {
        Ok(text) => Ok(Zeroizing::new(Zeroizing::new(text).trim_end().to_owned())),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(Zeroizing::default()),
        Err(error) => Err(error),
    }
}

fn write(file: &Path, password: &str) -> io::Result<()> {
    // A new file, so that no other process has it open, and no other user may read it.
    match fs::remove_file(file) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(error),
        _ => {}
    }
    let mut file = OpenOptions::new().write(true).create_new(true).mode(0o600).open(file)?;
    writeln!(file, "{password}")
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::os::unix::fs::PermissionsExt as _;

    #[test]
    fn a_stored_password_reads_back_and_is_private() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join(FILE);
        assert_eq!(read_stored(&file).unwrap().as_str(), "");
        for password in [generate_password(), generate_password()] {
            write(&file, &password).unwrap();
            assert_eq!(read_stored(&file).unwrap(), password);
            assert_eq!(fs::metadata(&file).unwrap().permissions().mode() & 0o777, 0o600);
        }
    }

    #[test]
    fn a_password_is_five_groups_of_four() {
        assert_eq!(generate_password().split('-').map(str::len).collect::<Vec<_>>(), [4; 5]);
    }
}
