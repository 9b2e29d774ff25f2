//! stub
#![allow(missing_docs)]
use serde_json::value::RawValue;
#[derive(Debug)]
pub struct Pair;
pub struct Built {
    pub json: String,
}
pub struct E;
impl E {
    pub fn to_failure(&self) -> crate::outcome::Failure {
        crate::outcome::Failure::usage(crate::outcome::Reason::Arguments, "")
    }
}
pub fn build(_p: &[Pair], a: Option<&str>, _s: Option<&RawValue>) -> Result<Built, E> {
    Ok(Built { json: a.unwrap_or("{}").to_owned() })
}
pub fn build_prompt(_p: &[Pair], a: Option<&str>) -> Result<String, E> {
    Ok(a.unwrap_or("{}").to_owned())
}
