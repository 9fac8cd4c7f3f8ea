//! Programs of the distribution that tests start.

use std::path::{Path, PathBuf};

/// Finds a program on the path, in the folders on root's path only, or in that of the latest `PostgreSQL`.
pub(crate) fn program(name: &str) -> PathBuf {
    let path = std::env::var_os("PATH").unwrap_or_default();
    let on_path: Vec<PathBuf> = std::env::split_paths(&path).collect();
    let versions = Path::new("/usr/lib/postgresql").read_dir().into_iter().flatten().flatten();
    let latest = versions.map(|version| version.path().join("bin")).max();
    let folders = on_path.into_iter().chain(["/usr/sbin".into(), "/usr/local/sbin".into()]);
    let found = latest.into_iter().chain(folders).map(|folder| folder.join(name)).find(|path| path.exists());
    found.unwrap_or_else(|| panic!("{name} is missing; run: scripts/packages test"))
}
