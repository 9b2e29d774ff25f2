//! The contract, table by table, against the built binary.

#[cfg(unix)]
mod counterparts;
