//! What cargo itself says about the workspace.

use std::path::{Path, PathBuf};
use std::process::Command;

use serde::Deserialize;

use crate::CheckError;

/// The workspace as `cargo metadata --no-deps` describes it.
#[derive(Debug, Deserialize)]
pub struct Workspace {
    /// Absolute path of the folder with the root manifest.
    #[serde(rename = "workspace_root")]
    pub root: PathBuf,
    /// The crates of the workspace.
    pub packages: Vec<Package>,
}

/// A crate of the workspace.
#[derive(Debug, Deserialize)]
pub struct Package {
    /// Its name.
    pub name: String,
    /// Absolute path of its manifest.
    pub manifest_path: PathBuf,
    /// What it depends on directly, as written in its manifest.
    pub dependencies: Vec<Dependency>,
    /// Its libraries, binaries, tests and benches.
    pub targets: Vec<Target>,
}

/// One direct dependency.
#[derive(Debug, Deserialize)]
pub struct Dependency {
    /// Name of the package, also when it is renamed.
    pub name: String,
    /// `dev`, `build`, or absent for a normal one.
    pub kind: Option<String>,
    /// The version requirement.
    pub req: String,
    /// Where it lies, for a crate of the workspace.
    pub path: Option<PathBuf>,
    /// The features asked for, those of the root manifest included.
    pub features: Vec<String>,
}

/// Something that cargo builds.
#[derive(Debug, Deserialize)]
pub struct Target {
    /// Absolute path of its root file.
    pub src_path: PathBuf,
}

impl Workspace {
    /// Asks cargo about the workspace at `root`, without a network and without resolving versions.
    ///
    /// # Errors
    ///
    /// When cargo cannot be started, refuses the workspace, or prints what is not understood.
    pub fn read(root: &Path) -> Result<Self, CheckError> {
        let output = Command::new("cargo")
            .args(["metadata", "--format-version", "1", "--no-deps", "--offline"])
            .current_dir(root)
            .output()
            .map_err(|error| CheckError::Cargo(error.to_string()))?;
        if !output.status.success() {
            return Err(CheckError::Cargo(String::from_utf8_lossy(&output.stderr).into_owned()));
        }
        Ok(serde_json::from_slice(&output.stdout)?)
    }

    /// `path` as seen from the root, for messages.
    #[must_use]
    pub fn relative(&self, path: &Path) -> String {
        path.strip_prefix(&self.root).unwrap_or(path).display().to_string()
    }
}

impl Package {
    /// The folder of the crate.
    #[must_use]
    pub fn folder(&self) -> &Path {
        self.manifest_path.parent().unwrap_or(&self.manifest_path)
    }
}

impl Dependency {
    /// `normal`, `dev` or `build`.
    #[must_use]
    pub fn kind(&self) -> &str {
        self.kind.as_deref().unwrap_or("normal")
    }

    /// Whether only tests, examples and benches see it.
    #[must_use]
    pub fn is_dev(&self) -> bool {
        self.kind() == "dev"
    }
}
