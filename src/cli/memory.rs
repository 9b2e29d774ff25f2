//! What earlier runs found out about HTTP servers, in the user's cache directory: one small file a server.
//!
//! A file's name is a hash of the URL, and inside stands no more of it than the origin, since paths and queries can hold
//! secrets. Nothing depends on these files: one that cannot be read or written is as if it were not there.

use std::hash::{DefaultHasher, Hash, Hasher};
use std::io::Read;
use std::path::PathBuf;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use etcetera::BaseStrategy;
use serde::{Deserialize, Serialize};
use url::Url;

use crate::client::{Learned, Memory};

/// After that a server is asked again: it may have learned a newer version meanwhile.
const FRESH: Duration = Duration::from_secs(24 * 60 * 60);

/// No file of ours is larger, in bytes.
const LARGEST: u64 = 4096;

/// The files of a cache directory.
pub(super) struct Cache {
    directory: PathBuf,
}

#[derive(Serialize, Deserialize)]
struct File {
    /// Scheme, host and port; a file of another origin is a collision of hashes.
    origin: String,
    /// The version without a handshake; null for a server that begins with `initialize`.
    modern: Option<String>,
    /// Whether it speaks HTTP+SSE.
    sse: bool,
    /// When that was found out, in seconds since 1970.
    at: u64,
}

impl Cache {
    /// The user's cache; `None` where no home is known.
    pub(super) fn of_user() -> Option<Cache> {
        let directory = etcetera::choose_base_strategy().ok()?.cache_dir().join("mcpcli").join("servers");
        Some(Cache { directory })
    }

    fn path(&self, url: &Url) -> PathBuf {
        let mut hasher = DefaultHasher::new();
        (url.origin().ascii_serialization(), url.path(), url.query()).hash(&mut hasher);
        self.directory.join(format!("{:016x}.json", hasher.finish()))
    }

    fn write(&self, url: &Url, file: &File) -> std::io::Result<()> {
        std::fs::create_dir_all(&self.directory)?;
        let path = self.path(url);
        // Written beside and renamed, so that another process never reads half of it.
        let beside = path.with_extension(format!("{}.new", std::process::id()));
        std::fs::write(&beside, serde_json::to_vec(file)?)?;
        std::fs::rename(&beside, &path).inspect_err(|_| {
            let _ = std::fs::remove_file(&beside);
        })
    }
}

fn now() -> u64 {
    SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |since| since.as_secs())
}

impl Memory for Cache {
    fn recall(&self, url: &Url) -> Option<Learned> {
        // Whatever else stands in its place could block, or never end.
        let opened = std::fs::symlink_metadata(self.path(url)).ok().filter(std::fs::Metadata::is_file);
        let mut text = Vec::new();
        opened.and_then(|_| std::fs::File::open(self.path(url)).ok())?.take(LARGEST).read_to_end(&mut text).ok()?;
        let file: File = serde_json::from_slice(&text).ok()?;
        let fresh = now().checked_sub(file.at).is_some_and(|age| age < FRESH.as_secs());
        let ours = file.origin == url.origin().ascii_serialization();
        (fresh && ours).then_some(Learned { modern: file.modern, sse: file.sse })
    }

    fn keep(&self, url: &Url, learned: &Learned) {
        let origin = url.origin().ascii_serialization();
        let file = File { origin, modern: learned.modern.clone(), sse: learned.sse, at: now() };
        // A full disk or a home that cannot be written to costs the next run a question, and nothing else.
        let _ = self.write(url, &file);
    }

    fn forget(&self, url: &Url) {
        let _ = std::fs::remove_file(self.path(url));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_kept_is_recalled_for_that_url_alone_and_holds_no_secret() {
        let dir = tempfile::tempdir().unwrap();
        let cache = Cache { directory: dir.path().join("servers") };
        let url = |text: &str| Url::parse(text).unwrap();
        let here = url("https://me:hunter2@h.example/s3cr3tpath?token=s3cr3t");
        let learned = Learned { modern: Some("2026-07-28".to_owned()), sse: false };
        assert_eq!(cache.recall(&here), None);
        cache.keep(&here, &learned);
        assert_eq!(cache.recall(&here), Some(learned));
        assert_eq!(cache.recall(&url("https://h.example/other")), None);
        let files: Vec<_> =
            std::fs::read_dir(dir.path().join("servers")).unwrap().map(|file| file.unwrap().path()).collect();
        let [file] = files.as_slice() else { panic!("{files:?}") };
        let text = format!("{} {}", file.display(), std::fs::read_to_string(file).unwrap());
        assert!(!text.contains("s3cr3t") && !text.contains("hunter2"), "{text}");
        std::fs::write(file, text.replace("\"at\":", "\"at\":1, \"was\":")).unwrap();
        assert_eq!(cache.recall(&here), None, "not JSON any more");
        cache.keep(&here, &Learned { modern: None, sse: true });
        cache.forget(&here);
        assert_eq!(cache.recall(&here), None);
    }

    #[test]
    fn what_is_old_is_asked_again() {
        let dir = tempfile::tempdir().unwrap();
        let cache = Cache { directory: dir.path().to_owned() };
        let url = Url::parse("http://h/").unwrap();
        let file = |at| File { origin: url.origin().ascii_serialization(), modern: None, sse: false, at };
        cache.write(&url, &file(now() - FRESH.as_secs() - 1)).unwrap();
        assert_eq!(cache.recall(&url), None);
        cache.write(&url, &file(now() - 60)).unwrap();
        assert!(cache.recall(&url).is_some());
    }
}
