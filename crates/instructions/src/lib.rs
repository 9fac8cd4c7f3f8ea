//! How many instructions the hot pure pieces of Restwell take. They stand in `benches/`, because what runs them is not
//! for the program: the readers and writers that it calls are open to tests only.
//!
//! `scripts/instructions` runs them under valgrind and compares the counts with `baseline.txt`.
