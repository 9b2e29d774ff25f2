//! placeholder
/// p
#[derive(Debug)]
pub struct Pair;
