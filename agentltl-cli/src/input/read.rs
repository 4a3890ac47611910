//! Reading the runs of a job.

use agentltl::TraceFormat;
use serde_json::Value as Json;

use super::{Body, Found, Job, Origin};
use crate::error::BadInput;

type Runs = Vec<Result<Found, BadInput>>;

/// The runs of a job, and what is none, in order.
pub(crate) fn read(job: Job, format: Option<TraceFormat>) -> Runs {
    let source = &*job.source;
    match job.body {
        Body::Bad(error) => vec![Err(error)],
        Body::Line(number, text) => match parse(source, Some(number), &text) {
            Ok(json) => value(source, Some(number), &json, format),
            Err(error) => vec![Err(error)],
        },
        Body::Document(text) => match parse(source, None, &text) {
            Ok(json) => value(source, None, &json, format),
            Err(error) => vec![Err(error)],
        },
        Body::Parts(lines) => parts(source, lines, format),
    }
}

fn parse(source: &str, line: Option<usize>, text: &str) -> Result<Json, BadInput> {
    serde_json::from_str(text).map_err(|error| {
        let place = format!(" at line {} column {}", error.line(), error.column());
        let message = error.to_string();
        let message = message.strip_suffix(&place).unwrap_or(&message);
        let line = line.unwrap_or(error.line());
        let message = if error.is_eof() {
            format!("not JSON: it ends too soon ({message})")
        } else {
            format!("not JSON (column {}): {message}", error.column())
        };
        BadInput::new(source, Some(line), message)
    })
}

/// The runs in a value: itself, or the elements of a list of runs.
fn value(source: &str, line: Option<usize>, json: &Json, format: Option<TraceFormat>) -> Runs {
    let Json::Array(elements) = json else {
        return run(source, line, None, json, format);
    };
    // A list is a run if its elements are parts of one. An empty list is a run without calls.
    let is_run = elements.first().is_none_or(|first| {
        format
            .or_else(|| TraceFormat::of(first))
            .or_else(|| TraceFormat::of(json))
            .is_none_or(|format| format.is_part(first))
            && !first.is_array()
    });
    if is_run {
        return run(source, line, None, json, format);
    }
    elements
        .iter()
        .enumerate()
        .flat_map(|(index, element)| run(source, line, Some(index), element, format))
        .collect()
}

fn run(
    source: &str,
    line: Option<usize>,
    index: Option<usize>,
    json: &Json,
    format: Option<TraceFormat>,
) -> Runs {
    let path = index.map_or_else(String::new, |index| format!("[{index}]"));
    let empty = json.as_array().is_some_and(Vec::is_empty);
    let Some(format) = format
        .or_else(|| TraceFormat::of(json))
        .or(empty.then_some(TraceFormat::Calls))
    else {
        let formats = TraceFormat::ALL.map(TraceFormat::as_str).join(", ");
        let message = format!("not a run in any format known here ({formats})");
        let mut error = BadInput::new(source, line, message);
        error.path = path;
        return vec![Err(error)];
    };
    match format.read(json) {
        Ok(runs) => runs
            .into_iter()
            .map(|run| {
                Ok(Found {
                    origin: Origin {
                        source: source.to_owned(),
                        line,
                        index,
                        id: run.id,
                    },
                    trace: run.trace,
                })
            })
            .collect(),
        Err(error) => vec![Err(BadInput::of(source, line, &path, &error))],
    }
}

/// The run, or those, that lines are parts of.
fn parts(source: &str, lines: Vec<(usize, String)>, format: Option<TraceFormat>) -> Runs {
    let numbers: Vec<usize> = lines.iter().map(|(number, _)| *number).collect();
    let parts: Result<Vec<Json>, BadInput> = lines
        .into_iter()
        .map(|(number, text)| parse(source, Some(number), &text))
        .collect();
    let parts = match parts {
        Ok(parts) => Json::Array(parts),
        Err(error) => return vec![Err(error)],
    };
    let mut runs = run(source, None, None, &parts, format);
    for run in &mut runs {
        // Here an element of the list is a line.
        if let Err(error) = run
            && let Some((index, path)) = error
                .path
                .strip_prefix('[')
                .and_then(|path| path.split_once(']'))
            && let Some(number) = index
                .parse()
                .ok()
                .and_then(|index: usize| numbers.get(index))
        {
            error.line = Some(*number);
            error.path = path.trim_start_matches('.').to_owned();
        }
    }
    runs
}
