//! A run in a file, for programs that start anew for each call.

use std::error::Error;
use std::ffi::OsString;
use std::fmt;
use std::fs::{self, File, OpenOptions, TryLockError};
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};

use serde_json::Value as Json;

use crate::enforcer::{
    Enforcer, EnforcerBuilder, EnforcerError, StateError, check_nesting, parse_state,
};

/// The state of a run in a file, held by one process at a time.
///
/// The file is replaced as a whole: a process that is killed at any point leaves the state before its
/// [`save`](Self::save) or the one after it. The lock is a file beside it, with `.lock` added to the
/// name, that stays; the system lifts the lock when the process ends, however it ends.
///
/// All methods block; in an async program, call them where blocking is allowed.
///
/// ```
/// use agentltl::{Enforcer, FileStore, Policy, ToolCall};
/// # let folder = std::env::temp_dir().join(format!("agentltl-doc-{}", std::process::id()));
/// # std::fs::create_dir_all(&folder)?;
/// let store = FileStore::open(folder.join("run.json"))?;
/// let mut enforcer = store.enforcer(Enforcer::builder(Policy::default()))?;
/// let decision = enforcer.check(&ToolCall::new("search"));
/// store.save(&enforcer.to_state())?;
/// # assert!(decision.allowed() && store.load()?.is_some());
/// # std::fs::remove_dir_all(&folder)?;
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug)]
#[must_use = "the lock is held until the store is dropped"]
pub struct FileStore {
    path: PathBuf,
    new: PathBuf,
    _lock: File,
}

impl FileStore {
    /// Waits until no other process has the file, then takes it. The file need not exist; its folder
    /// must.
    ///
    /// # Errors
    /// Where the lock file cannot be opened or locked.
    pub fn open(path: impl AsRef<Path>) -> Result<Self, StoreError> {
        FileStore::lock(path.as_ref(), |file, path| {
            file.lock().map_err(|error| StoreError::io(path, error))
        })
    }

    /// Takes the file, or says at once that another process has it.
    ///
    /// # Errors
    /// [`StoreError::Locked`], or where the lock file cannot be opened or locked.
    pub fn try_open(path: impl AsRef<Path>) -> Result<Self, StoreError> {
        FileStore::lock(path.as_ref(), |file, path| match file.try_lock() {
            Ok(()) => Ok(()),
            Err(TryLockError::WouldBlock) => Err(StoreError::Locked(path.to_owned())),
            Err(TryLockError::Error(error)) => Err(StoreError::io(path, error)),
        })
    }

    fn lock(
        path: &Path,
        lock: impl FnOnce(&File, &Path) -> Result<(), StoreError>,
    ) -> Result<Self, StoreError> {
        // Through a link the file itself is replaced, and all who come by another name meet at one lock.
        let path = match fs::canonicalize(path) {
            Ok(path) => path,
            Err(error) if error.kind() == io::ErrorKind::NotFound => path.to_owned(),
            Err(error) => return Err(StoreError::io(path, error)),
        };
        if path.file_name().is_none() {
            let error = io::Error::new(io::ErrorKind::InvalidInput, "it names no file");
            return Err(StoreError::io(&path, error));
        }
        let lock_path = beside(&path, ".lock");
        let file = private(OpenOptions::new().create(true).truncate(false).write(true))
            .open(&lock_path)
            .map_err(|error| StoreError::io(&lock_path, error))?;
        lock(&file, &lock_path)?;
        Ok(FileStore {
            new: beside(&path, ".new"),
            path,
            _lock: file,
        })
    }

    /// The saved state, or `None` where none was saved yet.
    ///
    /// # Errors
    /// Where the file cannot be read or is not JSON. A run never starts anew because of that.
    pub fn load(&self) -> Result<Option<Json>, StoreError> {
        let text = match fs::read_to_string(&self.path) {
            Ok(text) => text,
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
            Err(error) => return Err(StoreError::io(&self.path, error)),
        };
        parse_state(&text)
            .map(Some)
            .map_err(|error| self.state_error(error))
    }

    /// An enforcer that goes on with the saved run, or begins one where none was saved yet.
    ///
    /// # Errors
    /// Where the state cannot be read or loaded, or the enforcer not be built.
    pub fn enforcer(&self, builder: EnforcerBuilder) -> Result<Enforcer, StoreError> {
        let mut enforcer = builder.build().map_err(StoreError::Enforcer)?;
        if let Some(state) = self.load()? {
            enforcer
                .restore(&state)
                .map_err(|error| self.state_error(error))?;
        }
        Ok(enforcer)
    }

    /// Replaces the saved state. When this returns, the state is on disk.
    ///
    /// # Errors
    /// Where the file cannot be written, or the state nests too deep to be [read](parse_state) again;
    /// the state before is then still there.
    pub fn save(&self, state: &Json) -> Result<(), StoreError> {
        let text = state.to_string();
        check_nesting(&text).map_err(|error| self.state_error(error))?;
        let write = || {
            let mut file = private(OpenOptions::new().create(true).truncate(true).write(true))
                .open(&self.new)?;
            file.write_all(text.as_bytes())?;
            file.sync_all()
        };
        write().map_err(|error| StoreError::io(&self.new, error))?;
        fs::rename(&self.new, &self.path).map_err(|error| StoreError::io(&self.path, error))?;
        sync_folder(&self.path).map_err(|error| StoreError::io(&self.path, error))
    }

    fn state_error(&self, error: StateError) -> StoreError {
        StoreError::State {
            path: self.path.clone(),
            error,
        }
    }

    /// The file of the state.
    #[must_use]
    pub fn path(&self) -> &Path {
        &self.path
    }
}

/// The path with something added to the file's name.
fn beside(path: &Path, suffix: &str) -> PathBuf {
    let mut name = OsString::from(path);
    name.push(suffix);
    name.into()
}

/// A state holds arguments and results: only the user may read it.
#[cfg(unix)]
fn private(options: &mut OpenOptions) -> &mut OpenOptions {
    use std::os::unix::fs::OpenOptionsExt as _;
    options.mode(0o600)
}

#[cfg(not(unix))]
fn private(options: &mut OpenOptions) -> &mut OpenOptions {
    options
}

/// Makes the new name last; elsewhere than on Unix, folders cannot be synced.
fn sync_folder(path: &Path) -> io::Result<()> {
    if !cfg!(unix) {
        return Ok(());
    }
    let folder = match path.parent() {
        Some(folder) if !folder.as_os_str().is_empty() => folder,
        _ => Path::new("."),
    };
    File::open(folder)?.sync_all()
}

/// A state that cannot be kept in, or taken from, its file.
#[derive(Debug)]
#[non_exhaustive]
pub enum StoreError {
    /// A file cannot be opened, read, written or locked.
    Io {
        /// The file.
        path: PathBuf,
        /// Why.
        error: io::Error,
    },
    /// Another process has it: its lock file.
    Locked(PathBuf),
    /// The file holds no state that can be loaded.
    State {
        /// The file.
        path: PathBuf,
        /// What is wrong, and where.
        error: StateError,
    },
    /// The enforcer cannot be built.
    Enforcer(EnforcerError),
}

impl StoreError {
    fn io(path: &Path, error: io::Error) -> Self {
        StoreError::Io {
            path: path.to_owned(),
            error,
        }
    }
}

impl fmt::Display for StoreError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            StoreError::Io { path, error } => write!(f, "{}: {error}", path.display()),
            StoreError::Locked(path) => write!(f, "{}: held by another process", path.display()),
            StoreError::State { path, error } => write!(f, "{}: {error}", path.display()),
            StoreError::Enforcer(error) => error.fmt(f),
        }
    }
}

impl Error for StoreError {
    fn source(&self) -> Option<&(dyn Error + 'static)> {
        match self {
            StoreError::Io { error, .. } => Some(error),
            StoreError::State { error, .. } => Some(error),
            StoreError::Enforcer(error) => Some(error),
            StoreError::Locked(_) => None,
        }
    }
}
