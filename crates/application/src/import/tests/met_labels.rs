//! The memory of the labels of a file.

use super::memory_store::MemoryStore;
use super::record::{own_supplement, supplement_id};
use crate::import::attempt::Attempt;
use crate::import::met_labels::{self, Meeting};
use crate::import::run::Run;
use crate::model::import_report::ImportReport;
use crate::ports::import_source::{ImportItem, ImportedSupplement};

fn label(number: u128, key: u128, name: &str) -> ImportedSupplement {
    match own_supplement(number, &key.to_string(), name) {
        ImportItem::Supplement(label) => *label,
        item => panic!("{item:?}"),
    }
}

#[test]
fn the_last_hundred_thousand_labels_are_remembered_by_id_and_by_key() {
    let store = MemoryStore::default().store();
    let mut run = Run::new(None, &store).of_file(ImportReport::default());
    let numbers: Vec<u128> = (0..100_000).collect();
    for batch in numbers.chunks(2_000) {
        let mut attempt = Attempt::new(&run);
        for number in batch {
            let label = label(*number, *number, "Magnesium");
            met_labels::meet(&mut attempt, &label, supplement_id(*number), true);
        }
        let result = attempt.into_result();
        run.take(result);
    }
    let attempt = Attempt::new(&run);
    for number in [0, 1, 50_000, 99_999] {
        let compare = |label| met_labels::compare(&attempt, &label);
        assert!(matches!(compare(label(number, 200_000, "Zinc")), Meeting::AnothersId));
        let repeated = [
            label(number, number, "Zinc"),
            label(200_000, number, "Magnesium"),
            ImportedSupplement { id: None, ..label(number, number, "Zinc") },
        ];
        for repeated in repeated {
            let Meeting::Repeated(id) = compare(repeated) else { panic!("label {number} was forgotten") };
            assert_eq!(id, supplement_id(number));
        }
        assert!(matches!(compare(label(200_000, number, "Zinc")), Meeting::New));
    }
}
