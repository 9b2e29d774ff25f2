//! The contract, table by table, against the built binary.
