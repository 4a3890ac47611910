//! The file store: locks, errors, and a process killed at any point.

use std::fs;
use std::io::{BufRead as _, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::Duration;

use agentltl::build::*;
use agentltl::{EnforcerBuilder, FileStore, Severity, StateLimits, StoreError};
use serde_json::json;

use crate::{builder, call, rule};

/// A folder that is gone afterwards.
struct Folder(PathBuf);

impl Folder {
    fn new(name: &str) -> Self {
        let path =
            Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("{name}-{}", std::process::id()));
        fs::create_dir_all(&path).unwrap();
        Folder(path)
    }

    fn file(&self) -> PathBuf {
        self.0.join("run.json")
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}

fn noted() -> EnforcerBuilder {
    builder([rule("noted", Severity::Tolerate, globally(!now("x")))])
}

#[test]
fn a_run_goes_on_where_it_was() {
    let folder = Folder::new("goes-on");
    for calls in 0..3 {
        let store = FileStore::open(folder.file()).unwrap();
        let mut enforcer = store.enforcer(noted()).unwrap();
        assert_eq!(enforcer.trace().len(), calls);
        enforcer.record(call("x"));
        store.save(&enforcer.to_state()).unwrap();
    }
}

#[test]
fn one_at_a_time() {
    let folder = Folder::new("lock");
    let held = FileStore::open(folder.file()).unwrap();
    let error = FileStore::try_open(folder.file()).unwrap_err();
    assert!(matches!(error, StoreError::Locked(_)), "{error}");
    assert!(
        error
            .to_string()
            .ends_with("run.json.lock: held by another process")
    );
    let waiting = std::thread::spawn({
        let file = folder.file();
        move || FileStore::open(file).unwrap().load().unwrap()
    });
    std::thread::sleep(Duration::from_millis(20));
    held.save(&json!({"version": 1})).unwrap();
    drop(held);
    assert_eq!(waiting.join().unwrap(), Some(json!({"version": 1})));
    assert!(FileStore::try_open(folder.file()).is_ok());
}

#[test]
fn a_file_that_cannot_be_loaded_never_starts_a_new_run() {
    let folder = Folder::new("broken");
    for (text, message) in [
        ("", "not JSON"),
        ("{\"version\": 1", "not JSON"),
        ("{\"version\": 9}", "`version`"),
        ("{\"version\": 1, \"in_flight\": 3}", "`in_flight`"),
    ] {
        fs::write(folder.file(), text).unwrap();
        let store = FileStore::open(folder.file()).unwrap();
        let error = store.enforcer(noted()).unwrap_err().to_string();
        assert!(
            error.contains(message) && error.contains("run.json"),
            "{error}"
        );
        assert_eq!(fs::read_to_string(folder.file()).unwrap(), text);
    }
    let missing = FileStore::open(folder.0.join("none").join("run.json"));
    assert!(matches!(missing, Err(StoreError::Io { .. })));
    assert!(matches!(FileStore::open("/"), Err(StoreError::Io { .. })));
}

#[cfg(unix)]
#[test]
fn a_link_is_followed_and_the_state_is_private() {
    use std::os::unix::fs::{PermissionsExt as _, symlink};
    let folder = Folder::new("link");
    FileStore::open(folder.file())
        .unwrap()
        .save(&json!({"version": 1}))
        .unwrap();
    let mode = fs::metadata(folder.file()).unwrap().permissions().mode();
    assert_eq!(mode & 0o777, 0o600);
    let link = folder.0.join("link.json");
    symlink(folder.file(), &link).unwrap();
    let held = FileStore::open(&link).unwrap();
    assert!(
        FileStore::try_open(folder.file()).is_err(),
        "one file, one lock"
    );
    held.save(&json!({"version": 1, "more": 1})).unwrap();
    assert!(fs::symlink_metadata(&link).unwrap().is_symlink());
    assert_eq!(held.load().unwrap(), Some(json!({"version": 1, "more": 1})));
}

const CHILD: &str = "AGENTLTL_STORE_CHILD";

/// Not a test of its own: what the killed processes run.
#[test]
fn child() {
    let Some(file) = std::env::var_os(CHILD) else {
        return;
    };
    let store = FileStore::open(file).unwrap();
    let mut enforcer = store.enforcer(noted()).unwrap();
    loop {
        assert!(enforcer.check(call("x")).allowed());
        enforcer.record(call("x").with_argument("text", "x".repeat(20_000)));
        store
            .save(&enforcer.to_state_with(StateLimits::new().max_trace(3).max_log(3)))
            .unwrap();
        use std::io::Write as _;
        let mut out = std::io::stderr();
        writeln!(out, "saved {}", enforcer.status().constraint_checks).unwrap();
    }
}

/// Every check counts one, so the counter says which states were saved.
#[test]
fn a_process_killed_at_any_point_leaves_one_state_or_the_next() {
    let folder = Folder::new("killed");
    let mut saved = 0;
    let mut random = 0x2545_F491_4F6C_DD1D_u64;
    let mut torn_writes = 0;
    for round in 0..500 {
        let mut child = Command::new(std::env::current_exe().unwrap())
            .args(["--exact", "store::child", "--nocapture"])
            .env(CHILD, folder.file())
            .stdout(Stdio::null())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        let mut lines = BufReader::new(child.stderr.take().unwrap()).lines();
        random ^= random << 13;
        random ^= random >> 7;
        random ^= random << 17;
        // Some die while they start, most after some saves, and then at any point of the next.
        for _ in 0..random % 4 {
            if let Some(Ok(line)) = lines.next() {
                saved = saved.max(number(&line));
            }
        }
        std::thread::sleep(Duration::from_micros(random >> 32 & 0x7FF));
        child.kill().unwrap();
        child.wait().unwrap();
        // What it had acknowledged before it died.
        for line in lines.map_while(Result::ok) {
            saved = saved.max(number(&line));
        }
        torn_writes += usize::from(folder.0.join("run.json.new").exists());
        let store = FileStore::try_open(folder.file()).expect("the lock died with its process");
        let found = store.enforcer(noted()).unwrap().status();
        assert!(
            found.constraint_checks == saved || found.constraint_checks == saved + 1,
            "round {round}: {saved} saves were acknowledged, {} found",
            found.constraint_checks
        );
        saved = found.constraint_checks;
    }
    assert!(saved > 100, "they hardly ran: {saved} saves");
    assert!(torn_writes > 0, "none was killed while it wrote");
}

fn number(line: &str) -> u64 {
    line.strip_prefix("saved ")
        .map_or(0, |number| number.parse().unwrap_or(0))
}
