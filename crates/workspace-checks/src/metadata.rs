//! Cargo metadata of the workspace.

use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Result, ensure};
use serde::Deserialize;

/// The workspace as `cargo metadata --no-deps` describes it.
#[derive(Debug, Deserialize)]
pub struct Workspace {
    /// Absolute path of the folder with the root manifest.
    #[serde(rename = "workspace_root")]
    pub root: PathBuf,
    /// Crates of the workspace.
    pub packages: Vec<Package>,
}

/// A crate of the workspace.
#[derive(Debug, Deserialize)]
pub struct Package {
    /// Name.
    pub name: String,
    /// Absolute path of its manifest.
    pub manifest_path: PathBuf,
    /// Direct dependencies as written in its manifest.
    pub dependencies: Vec<Dependency>,
    /// Libraries, binaries, tests and benches.
    pub targets: Vec<Target>,
}

/// A direct dependency.
#[derive(Debug, Deserialize)]
pub struct Dependency {
    /// Name of the package, even if it is renamed.
    pub name: String,
    /// Name in the code, if it is renamed.
    pub rename: Option<String>,
    /// `dev`, `build`, or absent for a normal dependency.
    pub kind: Option<String>,
    /// Path of a workspace crate.
    pub path: Option<PathBuf>,
    /// Requested features, including those of the root manifest.
    pub features: Vec<String>,
}

/// A build target.
#[derive(Debug, Deserialize)]
pub struct Target {
    /// Absolute path of its root file.
    pub src_path: PathBuf,
}

impl Workspace {
    /// Runs `cargo metadata` for the workspace at `root`, offline and without resolving versions.
    pub fn read(root: &Path) -> Result<Self> {
        let output = Command::new("cargo")
            .args(["metadata", "--format-version", "1", "--no-deps", "--offline"])
            .current_dir(root)
            .output()?;
        ensure!(output.status.success(), "cargo metadata: {}", String::from_utf8_lossy(&output.stderr));
        Ok(serde_json::from_slice(&output.stdout)?)
    }

    /// Returns `path` relative to the root.
    #[must_use]
    pub fn relative(&self, path: &Path) -> String {
        path.strip_prefix(&self.root).unwrap_or(path).display().to_string()
    }
}

impl Package {
    /// Returns the folder of the crate.
    #[must_use]
    pub fn folder(&self) -> &Path {
        self.manifest_path.parent().unwrap_or(&self.manifest_path)
    }
}

impl Dependency {
    /// Returns `normal`, `dev` or `build`.
    #[must_use]
    pub fn kind(&self) -> &str {
        self.kind.as_deref().unwrap_or("normal")
    }

    /// Returns whether only tests, examples and benches use it.
    #[must_use]
    pub fn is_dev(&self) -> bool {
        self.kind() == "dev"
    }
}
