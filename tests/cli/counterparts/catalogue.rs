//! The catalogue of counterparts, `tests/counterparts/catalogue.json`: what is started how, and what must come of it.

use std::collections::BTreeMap;
use std::path::PathBuf;

use serde::Deserialize;
use serde_json::Value;

/// The whole file.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Catalogue {
    /// Lists of values of `--protocol`, by the name that a server refers to.
    pub(super) protocols: BTreeMap<String, Vec<Protocol>>,
    /// Lists of checks, by the name that an offer refers to.
    pub(super) checks: BTreeMap<String, Vec<Check>>,
    /// What a program offers, on whatever transport it is started.
    pub(super) offers: BTreeMap<String, Offer>,
    pub(super) servers: Vec<Server>,
}

/// One value of `--protocol`, and how far it gets: exactly one of `speaks` and `refused` is there.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Protocol {
    /// The value.
    pub(super) ask: String,
    /// The version that is then spoken.
    pub(super) speaks: Option<String>,
    /// What comes of it where the server will not have it.
    pub(super) refused: Option<Refusal>,
    /// The list of checks in place of the offer's and of further ones; for a server that starts anew for each of many checks.
    pub(super) checks: Option<String>,
}

impl Protocol {
    /// Whether what is spoken is of the modern era.
    pub(super) fn is_modern(&self) -> bool {
        self.speaks.as_deref().is_some_and(|version| version >= "2026-07-28")
    }
}

/// The outcome of a `list` where the server speaks no version that was asked for.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Refusal {
    pub(super) category: String,
    pub(super) phase: Option<String>,
    pub(super) code: Option<i64>,
}

/// One run of the binary and its outcome.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Check {
    /// What it shows, unique in its list.
    pub(super) what: String,
    /// The command and its arguments, without those that name the server.
    pub(super) args: Vec<String>,
    /// The category, by its name in `--json`.
    pub(super) category: String,
    /// The phase, where the outcome is a failure at the server.
    pub(super) phase: Option<String>,
    /// JSON pointers into `result`, and what must stand there.
    #[serde(default)]
    pub(super) result: BTreeMap<String, Value>,
}

/// What one program offers.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Offer {
    /// The list of checks that it is put to.
    pub(super) checks: String,
    /// The JSON-RPC error code of each `rpc-error` among them, by what it shows: servers differ in these. A check that has
    /// one here comes to an `rpc-error`, whatever its list says.
    pub(super) codes: BTreeMap<String, i64>,
    /// Those that are others in the legacy era.
    #[serde(default)]
    pub(super) legacy_codes: BTreeMap<String, i64>,
    pub(super) tools: Vec<String>,
    pub(super) resources: Vec<String>,
    pub(super) templates: Vec<String>,
    pub(super) prompts: Vec<String>,
}

impl Offer {
    /// The error code that a check comes to.
    pub(super) fn code(&self, what: &str, is_modern: bool) -> Option<i64> {
        let legacy = self.legacy_codes.get(what).filter(|_| !is_modern);
        legacy.or_else(|| self.codes.get(what)).copied()
    }

    /// Each kind as `list` names it, the member of the result that holds it, and names that must be there.
    pub(super) fn kinds(&self) -> [(&'static str, &'static str, &[String]); 4] {
        [
            ("tools", "tools", &self.tools),
            ("resources", "resources", &self.resources),
            ("templates", "resourceTemplates", &self.templates),
            ("prompts", "prompts", &self.prompts),
        ]
    }
}

/// One way to start a program. `{dir}` stands for the installs, `{here}` for `tests/counterparts`, `{port}` for a free port.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Server {
    pub(super) name: String,
    pub(super) offers: String,
    /// `http`, `sse` or `stdio`, as `server.transport` in `--json`.
    pub(super) transport: String,
    /// The path of the URL; none for stdio.
    pub(super) path: Option<String>,
    pub(super) command: Vec<String>,
    /// The list of values of `--protocol` to try; `legacy` if it is not given.
    #[serde(default = "legacy")]
    pub(super) protocols: String,
    /// Further lists of checks, for what this way of starting it makes possible.
    #[serde(default)]
    pub(super) also: Vec<String>,
    /// Those for the legacy era only.
    #[serde(default)]
    pub(super) also_legacy: Vec<String>,
    /// Those for the modern era only.
    #[serde(default)]
    pub(super) also_modern: Vec<String>,
    #[serde(default)]
    pub(super) env: BTreeMap<String, String>,
}

impl Server {
    /// The lists of checks that it is put to under one value of `--protocol`.
    pub(super) fn lists<'a>(&'a self, offer: &'a Offer, protocol: &'a Protocol) -> Vec<&'a str> {
        if let Some(list) = &protocol.checks {
            return vec![list];
        }
        let of_era = if protocol.is_modern() { &self.also_modern } else { &self.also_legacy };
        let lists = std::iter::once(&offer.checks).chain(&self.also).chain(of_era);
        lists.map(String::as_str).collect()
    }
}

fn legacy() -> String {
    "legacy".to_owned()
}

/// Where the counterparts are.
pub(super) struct Place {
    /// `tests/counterparts`.
    pub(super) here: PathBuf,
    /// Where `tests/counterparts/install` put them.
    pub(super) dir: PathBuf,
}

impl Place {
    /// The place that `MCPCLI_COUNTERPARTS` names. A test that asks for it fails without: a missing counterpart is no pass.
    pub(super) fn from_env() -> Place {
        let dir = std::env::var_os("MCPCLI_COUNTERPARTS").map(PathBuf::from).expect(
            "MCPCLI_COUNTERPARTS must name the folder that tests/counterparts/install filled; tests/run sets it",
        );
        assert!(dir.is_absolute() && dir.is_dir(), "MCPCLI_COUNTERPARTS is no absolute folder: {}", dir.display());
        Place { here: here(), dir }
    }

    /// Fills in the placeholders of one word.
    pub(super) fn fill(&self, word: &str, port: u16) -> String {
        let text = |path: &PathBuf| path.to_str().expect("paths of the tests are UTF-8").to_owned();
        word.replace("{dir}", &text(&self.dir))
            .replace("{here}", &text(&self.here))
            .replace("{port}", &port.to_string())
    }

    /// The command line of a server.
    pub(super) fn command(&self, server: &Server, port: u16) -> Vec<String> {
        server.command.iter().map(|word| self.fill(word, port)).collect()
    }
}

fn here() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("tests/counterparts")
}

/// Reads the catalogue.
pub(super) fn read() -> Catalogue {
    let path = here().join("catalogue.json");
    let text = std::fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
    serde_json::from_str(&text).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}
