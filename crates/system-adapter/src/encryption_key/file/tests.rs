use super::*;
use std::collections::HashSet;
use std::fs;
use std::sync::Barrier;
use std::thread;

fn folder() -> tempfile::TempDir {
    tempfile::tempdir().unwrap()
}

#[test]
fn the_second_start_finds_the_key_of_the_first() {
    let folder = folder();
    let path = folder.path().join("restwell.key");
    let made = load_or_create(&path).unwrap();
    let found = load_or_create(&path).unwrap();
    assert_eq!(made.as_bytes(), found.as_bytes());
    assert_eq!(fs::read_to_string(&path).unwrap(), format!("{}\n", made.expose().as_str()));
    assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 1, "nothing is left beside the file");
}

#[test]
fn a_new_key_file_is_accessible_only_to_its_owner() {
    use std::os::unix::fs::PermissionsExt;
    let folder = folder();
    let path = folder.path().join("restwell.key");
    load_or_create(&path).unwrap();
    assert_eq!(fs::metadata(&path).unwrap().permissions().mode() & 0o7777, 0o600);
}

#[test]
fn a_key_file_that_others_may_access_is_refused_with_its_mode() {
    use std::os::unix::fs::PermissionsExt;
    let folder = folder();
    let path = folder.path().join("restwell.key");
    load_or_create(&path).unwrap();
    for mode in [0o644, 0o640, 0o604, 0o660, 0o620] {
        fs::set_permissions(&path, fs::Permissions::from_mode(mode)).unwrap();
        let error = load_or_create(&path).unwrap_err();
        assert!(matches!(error, KeyFileError::Exposed { mode: found, .. } if found == mode));
        assert!(error.to_string().contains(&format!("mode {mode:04o}")), "{error}");
    }
    fs::set_permissions(&path, fs::Permissions::from_mode(0o400)).unwrap();
    assert!(load_or_create(&path).is_ok());
}

#[test]
fn many_creators_at_once_end_with_one_key() {
    for _ in 0..20 {
        let folder = folder();
        let path = folder.path().join("restwell.key");
        let start = Barrier::new(8);
        let keys: HashSet<[u8; 32]> = thread::scope(|scope| {
            let creators: Vec<_> = (0..8)
                .map(|_| {
                    scope.spawn(|| {
                        start.wait();
                        *load_or_create(&path).unwrap().as_bytes()
                    })
                })
                .collect();
            creators.into_iter().map(|creator| creator.join().unwrap()).collect()
        });
        assert_eq!(keys.len(), 1);
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 1);
    }
}

#[test]
fn a_file_with_something_else_is_refused_and_left_alone() {
    let folder = folder();
    let path = folder.path().join("restwell.key");
    load_or_create(&path).unwrap();
    for content in [String::new(), "LEAKME123".to_owned(), "rwk_".repeat(10_000)] {
        fs::write(&path, &content).unwrap();
        let error = load_or_create(&path).unwrap_err();
        assert!(matches!(error, KeyFileError::Malformed { .. }));
        assert!(!error.to_string().contains("LEAKME123"));
        assert_eq!(fs::read_to_string(&path).unwrap(), content);
    }
}

#[test]
fn a_missing_folder_is_an_error_and_not_a_panic() {
    let folder = folder();
    let path = folder.path().join("nowhere").join("restwell.key");
    assert!(matches!(load_or_create(&path), Err(KeyFileError::Create { .. })));
}
