//! Which eras of the protocol a server speaks: the one of `initialize`, the one of requests that each stand alone, or both.

use std::io;

use super::Transport;
use super::faults::Fault;

/// The version whose requests each stand alone.
pub const MODERN: &str = "2026-07-28";
/// Protocol versions that are opened by `initialize`, oldest first.
pub const LEGACY: [&str; 4] = ["2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25"];

/// The eras that a server speaks (2026-07-28 basic/versioning §Terminology).
#[derive(Copy, Clone, PartialEq, Eq, Debug, Default)]
pub enum Eras {
    /// Both, each request in its own.
    #[default]
    Both,
    /// Only versions up to 2025-11-25.
    Legacy,
    /// Only 2026-07-28.
    Modern,
}

impl Eras {
    /// Every choice once.
    pub const ALL: [Eras; 3] = [Eras::Both, Eras::Legacy, Eras::Modern];

    /// Its name on the command line.
    pub const fn name(self) -> &'static str {
        match self {
            Eras::Both => "auto",
            Eras::Legacy => "legacy",
            Eras::Modern => "modern",
        }
    }

    /// The versions that are served, newest first.
    pub fn versions(self) -> Vec<&'static str> {
        let legacy = LEGACY.into_iter().rev();
        match self {
            Eras::Both => std::iter::once(MODERN).chain(legacy).collect(),
            Eras::Legacy => legacy.collect(),
            Eras::Modern => vec![MODERN],
        }
    }

    /// What is left of the eras over `transport` and with `faults`: HTTP+SSE is of 2024-11-05, and some faults can be shown in one
    /// era only.
    pub fn with(self, faults: &[Fault], transport: Transport) -> io::Result<Eras> {
        let mut eras = self;
        let sse = (transport == Transport::Sse).then_some(("the transport sse", Eras::Legacy));
        let bound = faults.iter().filter_map(|fault| Some((fault.row().name, fault.era()?)));
        for (what, only) in sse.into_iter().chain(bound) {
            if eras != Eras::Both && eras != only {
                let what = format!("{what} is of the {} era, and only the {} one is left", only.name(), eras.name());
                return Err(io::Error::new(io::ErrorKind::InvalidInput, what));
            }
            eras = only;
        }
        Ok(eras)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn faults_and_transports_narrow_the_eras() {
        use Transport::{Http, Sse};
        for (eras, faults, transport, left) in [
            (Eras::Both, &[][..], Http, Some(Eras::Both)),
            (Eras::Both, &[], Sse, Some(Eras::Legacy)),
            (Eras::Modern, &[], Sse, None),
            (Eras::Both, &[Fault::SessionLost], Http, Some(Eras::Legacy)),
            (Eras::Modern, &[Fault::SessionLost], Http, None),
            (Eras::Both, &[Fault::ModernOnly], Http, Some(Eras::Modern)),
            (Eras::Both, &[Fault::ModernOnly, Fault::LegacyOnly], Http, None),
            (Eras::Modern, &[Fault::Hang], Http, Some(Eras::Modern)),
        ] {
            assert_eq!(eras.with(faults, transport).ok(), left, "{eras:?} {faults:?} {transport:?}");
        }
    }

    #[test]
    fn versions_come_newest_first() {
        assert_eq!(Eras::Both.versions(), [MODERN, "2025-11-25", "2025-06-18", "2025-03-26", "2024-11-05"]);
        assert_eq!(Eras::Modern.versions(), [MODERN]);
        assert_eq!(Eras::Legacy.versions().len(), LEGACY.len());
    }
}
