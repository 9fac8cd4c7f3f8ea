//! Generated files of the format, for tests.

use crate::test_support::Fixtures;

pub(crate) const FIXTURES: Fixtures = Fixtures {
    examples: &["[-1,0,0,1,2,3,4]", ",Stage,Confidence\n0,W,0.9\n1,N2,0.8\n"],
    layouts: &[],
    export: &[],
};
