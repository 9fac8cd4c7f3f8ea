//! Instruction counts of hot pure functions. The cases live in `benches/`, because they call functions that
//! are exposed to tests only.
//!
//! `scripts/instructions` runs them under valgrind and compares the counts with `baseline.txt`.
