//! Places in a text that is a policy.

use std::ops::Range;

use super::error::{PolicyProblem, Position};

/// Fills in the lines and columns of places of which only the bytes are known, in one pass over the
/// text, and sorts the problems by place.
pub(super) fn locate(text: &str, problems: &mut [PolicyProblem]) {
    problems.sort_by_key(|problem| problem.position.map(|position| position.offset));
    let positions = problems.iter_mut();
    fill(
        text,
        positions.filter_map(|problem| problem.position.as_mut()),
    );
}

/// The place of a byte, of which the line and column are not known yet.
pub(super) const fn at(offset: usize) -> Position {
    Position {
        offset,
        line: 0,
        column: 0,
    }
}

/// Fills in the lines and columns of places that stand in the order of the text.
pub(super) fn fill<'p>(text: &str, positions: impl Iterator<Item = &'p mut Position>) {
    let (mut at, mut line, mut column) = (0, 1, 1);
    for position in positions {
        let offset = text.floor_char_boundary(position.offset);
        for c in text[at..offset].chars() {
            (line, column) = if c == '\n' {
                (line + 1, 1)
            } else {
                (line, column + 1)
            };
        }
        at = offset;
        *position = Position {
            offset,
            line,
            column,
        };
    }
}

/// The byte of the file at which a byte of a string's value stands, given where the string's token,
/// quotes included, stands in the file. Escapes are what makes this more than a sum.
pub(super) fn inside(file: &str, token: &Range<usize>, value: &str, offset: usize) -> usize {
    let raw = file.get(token.clone()).unwrap_or_default();
    follow(raw, value, offset).map_or(token.start, |at| token.start + at)
}

/// Walks the token and the value side by side; `None` where they do not fit together.
fn follow(raw: &str, value: &str, offset: usize) -> Option<usize> {
    let quote = raw.chars().next().filter(|c| matches!(c, '"' | '\''))?;
    let mut at = if raw.starts_with(&quote.to_string().repeat(3)) && raw.len() >= 6 {
        // A line break right after the quotes is not part of the value.
        let body = &raw[3..];
        3 + if body.starts_with("\r\n") {
            2
        } else {
            usize::from(body.starts_with('\n'))
        }
    } else {
        1
    };
    for (_, c) in value.char_indices().take_while(|(i, _)| *i < offset) {
        if quote == '"' {
            at = skip_continuation(raw, at)?;
        }
        let rest = raw.get(at..)?;
        at += if quote == '"' && rest.starts_with('\\') {
            escape(rest, c)?
        } else if rest.starts_with("\r\n") && c == '\n' {
            2
        } else {
            rest.starts_with(c).then(|| c.len_utf8())?
        };
    }
    if quote == '"' {
        at = skip_continuation(raw, at)?;
    }
    (at < raw.len()).then_some(at)
}

/// The length of an escape that stands for `c`.
fn escape(rest: &str, c: char) -> Option<usize> {
    match rest.as_bytes().get(1)? {
        // JSON writes what UTF-16 has no single unit for as two escapes.
        b'u' if u32::from(c) > 0xFFFF => Some(12),
        b'u' => Some(6),
        b'U' => Some(10),
        b'x' => Some(4),
        _ => Some(2),
    }
}

/// Behind a backslash at the end of a line, TOML skips to the next character that is no space.
fn skip_continuation(raw: &str, mut at: usize) -> Option<usize> {
    loop {
        let rest = raw.get(at..)?;
        let Some(tail) = rest.strip_prefix('\\') else {
            return Some(at);
        };
        let spaces = tail.len() - tail.trim_start().len();
        if !tail[..spaces].contains('\n') {
            return Some(at);
        }
        at += 1 + spaces;
    }
}

#[cfg(test)]
mod tests {
    use super::inside;

    #[test]
    fn escapes_are_counted() {
        for (token, value, offset, found) in [
            (r#""ab""#, "ab", 1, 2),
            (r"'a\b'", r"a\b", 2, 3),
            (r#""\"a\"b""#, "\"a\"b", 3, 6),
            (r#""\u00e4b""#, "äb", 2, 7),
            (r#""\uD83D\uDE00b""#, "😀b", 4, 13),
            (r#""\U0001F600b""#, "😀b", 4, 11),
            ("'''\nab'''", "ab", 1, 5),
            ("\"\"\"a \\\n   b\"\"\"", "a b", 2, 10),
            ("\"a\"", "a", 1, 2),
            // not the token of this value: its start
            ("\"x\"", "ab", 1, 0),
        ] {
            assert_eq!(
                inside(token, &(0..token.len()), value, offset),
                found,
                "{token}"
            );
        }
    }
}
