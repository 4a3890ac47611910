//! Rust literals: what they say, and where a part of them stands in the source.

use std::ops::Range;

use proc_macro2::{Literal, Span, TokenTree};

use crate::diagnostics::Diagnostic;

/// Why a literal cannot stand in a formula. `None` where rustc has reported it already.
pub(crate) type Refused = Option<Diagnostic>;

/// A string literal and the text it stands for.
#[derive(Clone, Debug)]
pub(crate) struct Quoted {
    pub(crate) value: String,
    pub(crate) literal: Literal,
}

/// Is it a literal of some kind of string?
pub(crate) fn is_string(literal: &Literal) -> bool {
    let source = literal.to_string();
    source.starts_with(['"', 'r'])
}

/// Is it a literal of some kind of number?
pub(crate) fn is_number(literal: &Literal) -> bool {
    literal
        .to_string()
        .starts_with(|c: char| c.is_ascii_digit())
}

/// The string literal's text.
pub(crate) fn string(literal: &Literal) -> Result<Quoted, Refused> {
    let refuse = |message: &str| Err(Some(Diagnostic::new(literal.span(), message)));
    let source = literal.to_string();
    // Most have no escapes, and syn takes its time.
    if let Some(plain) = source
        .strip_prefix('"')
        .and_then(|rest| rest.strip_suffix('"'))
        .filter(|plain| !plain.contains(['"', '\\', '\r']))
    {
        return Ok(Quoted {
            value: plain.to_owned(),
            literal: literal.clone(),
        });
    }
    match source.as_bytes() {
        [b'"', ..] | [b'r', b'"' | b'#', ..] => {
            match syn::parse2::<syn::Lit>(TokenTree::from(literal.clone()).into()) {
                Ok(syn::Lit::Str(string)) if string.suffix().is_empty() => Ok(Quoted {
                    value: string.value(),
                    literal: literal.clone(),
                }),
                Ok(syn::Lit::Str(string)) => refuse(&format!(
                    "a string takes no suffix: remove `{}`",
                    string.suffix()
                )),
                _ => Err(None),
            }
        }
        [b'b', b'"' | b'r', ..] => refuse("a byte string is no text\nhelp: remove the `b`"),
        [b'c', b'"' | b'r', ..] => refuse("a C string is no text\nhelp: remove the `c`"),
        [b'b', b'\'', ..] => refuse("a string is written in double quotes, and without `b`"),
        [b'\'', ..] => match syn::parse2::<syn::Lit>(TokenTree::from(literal.clone()).into()) {
            Ok(syn::Lit::Char(char)) => refuse(&format!(
                "a string is written in double quotes\nhelp: write {:?}",
                char.value().to_string()
            )),
            _ => Err(None),
        },
        _ => refuse(&format!("expected a string, found `{source}`")),
    }
}

/// The number literal as the language writes it.
pub(crate) fn number(literal: &Literal) -> Result<String, Refused> {
    let source = literal.to_string();
    let refuse = |message: String| Err(Some(Diagnostic::new(literal.span(), message)));
    let lower = source.to_ascii_lowercase();
    if ["0x", "0o", "0b"]
        .iter()
        .any(|base| lower.starts_with(base))
    {
        let digits = lower[2..].replace('_', "");
        let radix = match &lower[..2] {
            "0x" => 16,
            "0o" => 8,
            _ => 2,
        };
        let help = i128::from_str_radix(&digits, radix)
            .map(|value| format!("\nhelp: write {value}"))
            .unwrap_or_default();
        return refuse(format!("a number is written in decimal here{help}"));
    }
    let end = source
        .find(|c: char| !(c.is_ascii_digit() || matches!(c, '.' | '_' | 'e' | 'E' | '+' | '-')))
        .unwrap_or(source.len());
    if end < source.len() {
        return refuse(format!(
            "a number takes no suffix here\nhelp: write {}",
            source[..end].trim_end_matches('_')
        ));
    }
    if source.contains('_') {
        return refuse(format!(
            "a number is written without `_` here\nhelp: write {}",
            source.replace('_', "")
        ));
    }
    Ok(source)
}

impl Quoted {
    pub(crate) fn span(&self) -> Span {
        self.literal.span()
    }

    /// The span of a part of the text, where the compiler can tell.
    pub(crate) fn subspan(&self, range: &Range<usize>) -> Option<Span> {
        let source = self.literal.to_string();
        let start = source_offset(&source, range.start)?;
        let end = source_offset(&source, range.end)?;
        self.literal
            .subspan(start..end.max(start + 1).min(source.len()))
    }

    /// `file:line:column` of a byte of the text, where the literal stands in a file as it is.
    pub(crate) fn location(&self, at: usize) -> Option<String> {
        if !proc_macro::is_available() {
            return None;
        }
        let source = self.literal.to_string();
        let span = self.literal.span();
        if span.source_text()? != source {
            return None;
        }
        let before = &source[..source_offset(&source, at)?];
        let span = span.unwrap();
        let line = span.line() + before.matches('\n').count();
        let column = match before.rfind('\n') {
            Some(newline) => 1 + before[newline + 1..].chars().count(),
            None => span.column() + before.chars().count(),
        };
        Some(format!("{}:{line}:{column}", span.file()))
    }
}

/// Where a byte of a string literal's text stands in the literal's source: quotes, `r#` and escapes
/// count. The end of the text is where the closing quote is.
fn source_offset(source: &str, at: usize) -> Option<usize> {
    let open = source.find('"')? + 1;
    if source.starts_with('r') {
        return Some(open + at).filter(|offset| source.is_char_boundary(*offset));
    }
    let (mut offset, mut value) = (open, 0);
    while value < at {
        let rest = &source[offset..];
        let (read, written) = unit(rest)?;
        offset += read;
        value += written;
    }
    // What a line continuation swallows stands before the next character of the text.
    while let Some((read, 0)) = unit(&source[offset..]) {
        offset += read;
    }
    Some(offset)
}

/// The next unit of a string's source: how many bytes it has, and how many bytes of text it makes.
fn unit(rest: &str) -> Option<(usize, usize)> {
    let first = rest.chars().next()?;
    if first == '"' {
        return None;
    }
    if first == '\r' && rest[1..].starts_with('\n') {
        return Some((2, 1));
    }
    if first != '\\' {
        return Some((first.len_utf8(), first.len_utf8()));
    }
    match rest[1..].chars().next()? {
        'x' => Some((4, 1)),
        'u' => {
            let end = rest.find('}')?;
            let code: String = rest[3..end].chars().filter(|c| *c != '_').collect();
            let char = char::from_u32(u32::from_str_radix(&code, 16).ok()?)?;
            Some((end + 1, char.len_utf8()))
        }
        '\n' | '\r' => {
            let blank =
                rest[1..].len() - rest[1..].trim_start_matches([' ', '\t', '\n', '\r']).len();
            Some((1 + blank, 0))
        }
        _ => Some((2, 1)),
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    /// Every character of the text is found in the source, whatever the escapes.
    #[test]
    fn offsets_survive_escapes() {
        let cases = [
            (r#""abc""#, "abc", 'c', 3),
            (r#""a\"c""#, "a\"c", 'c', 4),
            (r#""\u{e9}c""#, "éc", 'c', 7),
            (r#""\x41\\c""#, "A\\c", 'c', 7),
            ("\"a\\\n   c\"", "ac", 'c', 7),
            ("r#\"a\"c\"#", "a\"c", 'c', 5),
            ("\"äc\"", "äc", 'c', 3),
        ];
        for (source, text, wanted, offset) in cases {
            let literal: Literal = source.parse().unwrap();
            let quoted = string(&literal).unwrap();
            assert_eq!(quoted.value, text);
            let at = text.find(wanted).unwrap();
            assert_eq!(source_offset(source, at), Some(offset), "{source}");
            assert_eq!(&source[offset..=offset], "c");
        }
    }
}
