//! Cutting a stream into jobs: a line each, where lines are runs, so that a large file is never in
//! memory as a whole.

use std::io::{BufRead, BufReader, Read};
use std::sync::Arc;

use agentltl::TraceFormat;
use serde_json::Value as Json;
use serde_json::error::Category;

use super::{Body, Job};
use crate::error::BadInput;

pub(super) struct Lines<R, C> {
    reader: BufReader<R>,
    source: Arc<str>,
    /// Told of the bytes read.
    count: C,
    number: usize,
}

/// A line and its number; `None` at the end.
type Line = Result<Option<(usize, String)>, BadInput>;

impl<R: Read, C: Fn(usize)> Lines<R, C> {
    pub(super) fn new(reader: R, source: &str, count: C) -> Self {
        Lines {
            reader: BufReader::with_capacity(1 << 16, reader),
            source: source.into(),
            count,
            number: 0,
        }
    }

    /// Makes the jobs of the stream, until `emit` returns `false`.
    pub(super) fn jobs(
        mut self,
        is_lines: bool,
        format: Option<TraceFormat>,
        emit: &mut dyn FnMut(Job) -> bool,
    ) -> bool {
        match self.find_out(is_lines, format, emit) {
            Ok(go_on) => go_on,
            Err(error) => emit(Job {
                source: Arc::clone(&self.source),
                body: Body::Bad(error),
            }),
        }
    }

    fn find_out(
        &mut self,
        is_lines: bool,
        format: Option<TraceFormat>,
        emit: &mut dyn FnMut(Job) -> bool,
    ) -> Result<bool, BadInput> {
        let Some((number, first)) = self.next_line()? else {
            return Err(self.wrong(None, "the file is empty"));
        };
        match serde_json::from_str::<Json>(&first) {
            Ok(json) => {
                let Some(format) = format.or_else(|| TraceFormat::of(&json)) else {
                    // A list over one line may be a list of runs; any other value is none.
                    let is_list = json.is_array();
                    drop(json);
                    return self.alone(first, is_list, emit);
                };
                if format.is_part(&json) {
                    self.parts(number, first, emit)
                } else {
                    drop(json);
                    self.runs(number, first, emit)
                }
            }
            // The first of many lines of one value; in a file of lines it is a line cut short.
            Err(error) if !(is_lines && first.trim().len() > 1) => {
                let more = self.rest(first)?;
                match (error.classify(), more) {
                    // A line of its own after a broken one: the file is one of lines after all.
                    (Category::Syntax, Rest::Lines(first, others)) => {
                        self.broken(number, first, others, emit)
                    }
                    (_, Rest::Lines(first, others)) => {
                        Ok(self.emit_document(first + &others, emit))
                    }
                    (_, Rest::Nothing(first)) => Ok(self.emit_document(first, emit)),
                }
            }
            Err(_) => self.runs(number, first, emit),
        }
    }

    /// A value on a line whose format does not show.
    fn alone(
        &mut self,
        first: String,
        is_list: bool,
        emit: &mut dyn FnMut(Job) -> bool,
    ) -> Result<bool, BadInput> {
        if is_list {
            return self.runs(self.number, first, emit);
        }
        let formats = TraceFormat::ALL.map(TraceFormat::as_str).join(", ");
        let message = format!("not a run in any format known here ({formats})");
        Err(self.wrong(Some(self.number), message))
    }

    /// Each line is a run.
    fn runs(
        &mut self,
        mut number: usize,
        mut line: String,
        emit: &mut dyn FnMut(Job) -> bool,
    ) -> Result<bool, BadInput> {
        let mut next = self.next_line();
        if matches!(next, Ok(None)) {
            // The only line is the whole file: its number would say nothing.
            return Ok(self.emit_document("\n".repeat(number - 1) + &line, emit));
        }
        loop {
            let source = Arc::clone(&self.source);
            let body = Body::Line(number, line);
            if !emit(Job { source, body }) {
                return Ok(false);
            }
            // A line that is no text does not spoil those after it.
            while let Err(error) = next {
                let is_over = error.line.is_none();
                let source = Arc::clone(&self.source);
                let body = Body::Bad(error);
                if !emit(Job { source, body }) {
                    return Ok(false);
                }
                if is_over {
                    return Ok(true);
                }
                next = self.next_line();
            }
            let Ok(Some(found)) = next else {
                return Ok(true);
            };
            (number, line) = found;
            next = self.next_line();
        }
    }

    /// All lines together are a run.
    fn parts(
        &mut self,
        number: usize,
        first: String,
        emit: &mut dyn FnMut(Job) -> bool,
    ) -> Result<bool, BadInput> {
        let mut lines = vec![(number, first)];
        while let Some(line) = self.next_line()? {
            lines.push(line);
        }
        Ok(emit(Job {
            source: Arc::clone(&self.source),
            body: Body::Parts(lines),
        }))
    }

    /// A file of lines whose first one is no JSON.
    fn broken(
        &mut self,
        number: usize,
        first: String,
        others: String,
        emit: &mut dyn FnMut(Job) -> bool,
    ) -> Result<bool, BadInput> {
        let second = others.lines().find(|line| !line.trim().is_empty());
        if second.is_none_or(|line| serde_json::from_str::<Json>(line).is_err()) {
            return Ok(self.emit_document(first + &others, emit));
        }
        let lines = std::iter::once(first.as_str()).chain(others.lines());
        for (number, line) in (number..).zip(lines) {
            if line.trim().is_empty() {
                continue;
            }
            let body = Body::Line(number, line.to_owned());
            let source = Arc::clone(&self.source);
            if !emit(Job { source, body }) {
                return Ok(false);
            }
        }
        Ok(true)
    }

    fn emit_document(&self, text: String, emit: &mut dyn FnMut(Job) -> bool) -> bool {
        emit(Job {
            source: Arc::clone(&self.source),
            body: Body::Document(text),
        })
    }

    /// What follows the first line.
    fn rest(&mut self, first: String) -> Result<Rest, BadInput> {
        let mut bytes = Vec::new();
        self.reader
            .read_to_end(&mut bytes)
            .map_err(|error| self.wrong(None, format!("cannot be read: {error}")))?;
        (self.count)(bytes.len());
        let text = String::from_utf8(bytes).map_err(|error| {
            let good = error.utf8_error().valid_up_to();
            let before = &error.as_bytes()[..good];
            let line = self.number + 1 + before.iter().filter(|byte| **byte == b'\n').count();
            self.wrong(Some(line), "not UTF-8")
        })?;
        // Blank lines before the first count, so that errors name the right line.
        let first = "\n".repeat(self.number - 1) + &first;
        Ok(if text.trim().is_empty() {
            Rest::Nothing(first)
        } else {
            Rest::Lines(first, text)
        })
    }

    /// The next line that is not blank, without the mark some editors put at the start of a file.
    fn next_line(&mut self) -> Line {
        let mut bytes = Vec::new();
        loop {
            bytes.clear();
            let read = self.reader.read_until(b'\n', &mut bytes);
            let read =
                read.map_err(|error| self.wrong(None, format!("cannot be read: {error}")))?;
            if read == 0 {
                return Ok(None);
            }
            (self.count)(read);
            self.number += 1;
            if self.number == 1 {
                if bytes.starts_with(&[0xff, 0xfe]) || bytes.starts_with(&[0xfe, 0xff]) {
                    return Err(self.wrong(None, "is in UTF-16; traces are read in UTF-8"));
                }
                if bytes.starts_with(&[0x1f, 0x8b]) {
                    return Err(self.wrong(None, "is compressed; unpack it first"));
                }
                if bytes.starts_with("\u{feff}".as_bytes()) {
                    bytes.drain(..3);
                }
            }
            if bytes.iter().all(u8::is_ascii_whitespace) {
                continue;
            }
            return match String::from_utf8(std::mem::take(&mut bytes)) {
                Ok(line) => Ok(Some((self.number, line))),
                Err(error) => {
                    let column = error.utf8_error().valid_up_to() + 1;
                    let message = format!("not UTF-8 (byte {column} of the line)");
                    Err(self.wrong(Some(self.number), message))
                }
            };
        }
    }

    fn wrong(&self, line: Option<usize>, message: impl Into<String>) -> BadInput {
        BadInput::new(&self.source, line, message)
    }
}

enum Rest {
    /// The first line, with the blank ones before it, is all.
    Nothing(String),
    /// The first line, with the blank ones before it, and what follows.
    Lines(String, String),
}
