//! Finding the runs in files, folders and standard input.

mod lines;
mod read;

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use agentltl::{Trace, TraceFormat};

use crate::error::BadInput;

pub(crate) use read::read;

/// Files of a folder that may hold runs, by the end of their names.
const ENDINGS: [&str; 4] = ["json", "jsonl", "ndjson", "traj"];

/// A piece of input that holds a run or several.
pub(crate) struct Job {
    /// The file, or `-`.
    pub(crate) source: Arc<str>,
    pub(crate) body: Body,
}

pub(crate) enum Body {
    /// A line that is a run.
    Line(usize, String),
    /// A text that is one JSON value.
    Document(String),
    /// Lines, with their numbers, that are the parts of one run.
    Parts(Vec<(usize, String)>),
    /// Something that is no run.
    Bad(BadInput),
}

/// A run, and where it was found.
pub(crate) struct Found {
    pub(crate) origin: Origin,
    pub(crate) trace: Trace,
}

/// Where a run was found.
#[derive(Clone, Debug, serde::Serialize)]
pub(crate) struct Origin {
    /// The file, or `-`.
    pub(crate) source: String,
    /// The line, where a line is a run.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) line: Option<usize>,
    /// The place, from 0, where a list holds several runs.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) index: Option<usize>,
    /// What the format calls it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) id: Option<String>,
}

impl std::fmt::Display for Origin {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.source)?;
        if let Some(line) = self.line {
            write!(f, ":{line}")?;
        }
        if let Some(index) = self.index {
            write!(f, "[{index}]")?;
        }
        if let Some(id) = &self.id {
            write!(f, " ({id})")?;
        }
        Ok(())
    }
}

/// The inputs named on the command line, folders opened.
pub(crate) struct Inputs {
    sources: Vec<Source>,
    /// How many bytes there are, as far as that is known, and how many have been read.
    pub(crate) total: u64,
    pub(crate) done: AtomicU64,
}

enum Source {
    Stdin,
    File(PathBuf),
    Bad(BadInput),
}

impl Inputs {
    /// Looks up files and folders. What cannot be found is reported where its runs would be.
    pub(crate) fn find(paths: &[PathBuf]) -> Self {
        let mut inputs = Inputs {
            sources: Vec::new(),
            total: 0,
            done: AtomicU64::new(0),
        };
        for path in paths {
            if path.as_os_str() == "-" {
                inputs.sources.push(Source::Stdin);
            } else if path.is_dir() {
                inputs.folder(path);
            } else {
                inputs.file(path.clone());
            }
        }
        inputs
    }

    fn file(&mut self, path: PathBuf) {
        self.total += fs::metadata(&path).map_or(0, |about| about.len());
        self.sources.push(Source::File(path));
    }

    /// The files below a folder, by name. Links to folders are not followed: they may go round.
    fn folder(&mut self, folder: &Path) {
        let before = self.sources.len();
        let mut todo = vec![folder.to_owned()];
        while let Some(next) = todo.pop() {
            let entries = match fs::read_dir(&next).and_then(Iterator::collect::<Result<Vec<_>, _>>)
            {
                Ok(entries) => entries,
                Err(error) => {
                    let message = format!("cannot be read: {error}");
                    self.bad(&next, message);
                    continue;
                }
            };
            let mut entries: Vec<PathBuf> = entries.into_iter().map(|entry| entry.path()).collect();
            entries.sort();
            let (folders, files): (Vec<_>, Vec<_>) = entries
                .into_iter()
                .partition(|path| path.is_dir() && !path.is_symlink());
            for file in files {
                let ending = file.extension().and_then(|ending| ending.to_str());
                if file.is_file() && ending.is_some_and(|ending| ENDINGS.contains(&ending)) {
                    self.file(file);
                }
            }
            todo.extend(folders.into_iter().rev());
        }
        if self.sources.len() == before {
            let message = format!("the folder has no file of runs ({})", ENDINGS.join(", "));
            self.bad(folder, message);
        }
    }

    fn bad(&mut self, path: &Path, message: String) {
        let source = path.display().to_string();
        self.sources
            .push(Source::Bad(BadInput::new(&source, None, message)));
    }

    /// Makes the jobs, until `emit` returns `false`.
    pub(crate) fn feed(&self, format: Option<TraceFormat>, emit: &mut dyn FnMut(Job) -> bool) {
        for source in &self.sources {
            let go_on = match source {
                Source::Stdin => self.stream(std::io::stdin().lock(), "-", false, format, emit),
                Source::File(path) => {
                    let name = path.display().to_string();
                    let is_lines = path
                        .extension()
                        .is_some_and(|ending| ending == "jsonl" || ending == "ndjson");
                    match fs::File::open(path) {
                        Ok(file) => self.stream(file, &name, is_lines, format, emit),
                        Err(error) => {
                            let message = format!("cannot be read: {error}");
                            emit(bad(&name, None, message))
                        }
                    }
                }
                Source::Bad(error) => emit(Job {
                    source: error.source.as_str().into(),
                    body: Body::Bad(error.clone()),
                }),
            };
            if !go_on {
                return;
            }
        }
    }

    fn stream(
        &self,
        reader: impl std::io::Read,
        name: &str,
        is_lines: bool,
        format: Option<TraceFormat>,
        emit: &mut dyn FnMut(Job) -> bool,
    ) -> bool {
        let count = |bytes| {
            self.done.fetch_add(bytes as u64, Ordering::Relaxed);
        };
        lines::Lines::new(reader, name, count).jobs(is_lines, format, emit)
    }
}

fn bad(source: &str, line: Option<usize>, message: impl Into<String>) -> Job {
    Job {
        source: source.into(),
        body: Body::Bad(BadInput::new(source, line, message)),
    }
}
