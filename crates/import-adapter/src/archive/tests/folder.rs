//! Folders.

use super::{deflated, month, places};
use crate::testing::{notes, read_path};
use std::fs;

#[test]
fn a_folder_is_read_with_the_folders_in_it() {
    let folder = tempfile::tempdir().unwrap();
    fs::create_dir_all(folder.path().join("b/c")).unwrap();
    for (name, text) in [("b/c/2.json", month([2])), ("a.json", month([1])), ("notes.txt", "x".to_owned())] {
        fs::write(folder.path().join(name), text).unwrap();
    }
    fs::write(folder.path().join("z.zip"), super::archive(&[("3", month([3]).as_bytes())], deflated()))
        .unwrap();
    let (format, items) = read_path(folder.path(), None, "UTC").unwrap();
    assert_eq!(format, "fitbit");
    assert_eq!(places(&items), ["a.json: record 1", "b/c/2.json: record 1", "the folder"]);
    let note = "the folder: files of no known format were skipped: 2 (notes.txt, z.zip); nested archives are not opened, \
        import them separately: z.zip";
    assert_eq!(notes(&items), [note]);
}

#[test]
fn links_and_sockets_in_a_folder_are_skipped() {
    let (folder, elsewhere) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    fs::write(elsewhere.path().join("a.json"), month([1])).unwrap();
    fs::write(folder.path().join("b.json"), month([2])).unwrap();
    let link = |to: &std::path::Path, name| std::os::unix::fs::symlink(to, folder.path().join(name)).unwrap();
    link(elsewhere.path(), "folder");
    link(folder.path(), "itself");
    link(&elsewhere.path().join("a.json"), "a.json");
    let _listener = std::os::unix::net::UnixListener::bind(folder.path().join("socket")).unwrap();
    let (_, items) = read_path(folder.path(), None, "UTC").unwrap();
    assert_eq!(places(&items), ["b.json: record 1", "the folder"]);
    assert!(notes(&items).concat().ends_with("skipped: 4 (a.json, folder, itself, socket)"));
}

#[test]
fn a_folder_without_files_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    fs::create_dir(folder.path().join("a")).unwrap();
    let refused = read_path(folder.path(), None, "UTC").unwrap_err();
    assert_eq!(refused.to_string(), "there is no file in the folder");
}

#[test]
fn a_file_that_is_damaged_refuses_the_folder_by_its_name() {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("a.json"), month([1])).unwrap();
    fs::write(folder.path().join("b.json"), &month([2]).as_bytes()[..40]).unwrap();
    let refused = read_path(folder.path(), None, "UTC").unwrap_err();
    assert!(refused.to_string().starts_with("damaged at b.json: line 1, "), "{refused}");
}
