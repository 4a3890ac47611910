//! Finding again in a text what the parser read from it: strings and names.

use std::ops::Range;

/// A string or a name, `a::b` included.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Word<'t> {
    Text(String),
    Name(&'t str),
}

/// The strings and names in a part of a text that the parser has read, in order.
pub(crate) fn words(text: &str, range: Range<usize>) -> Words<'_> {
    Words {
        text,
        at: range.start,
        end: range.end,
    }
}

pub(crate) struct Words<'t> {
    text: &'t str,
    at: usize,
    end: usize,
}

impl<'t> Iterator for Words<'t> {
    type Item = (Range<usize>, Word<'t>);

    fn next(&mut self) -> Option<Self::Item> {
        while self.at < self.end {
            let rest = &self.text[self.at..self.end];
            let first = rest.chars().next()?;
            let start = self.at;
            if first == '"' {
                let (length, value) = string(rest);
                self.at += length;
                return Some((start..self.at, Word::Text(value)));
            }
            let name = name_length(rest);
            if name > 0 {
                self.at += name;
                return Some((start..self.at, Word::Name(&rest[..name])));
            }
            // A number takes its exponent with it.
            self.at += rest
                .find(|c: char| !c.is_ascii_alphanumeric())
                .unwrap_or(rest.len())
                .max(first.len_utf8());
        }
        None
    }
}

fn string(rest: &str) -> (usize, String) {
    let mut value = String::new();
    let mut chars = rest.char_indices().skip(1).peekable();
    while let Some((at, c)) = chars.next() {
        match c {
            '"' => return (at + 1, value),
            '\\' => match chars.next_if(|(_, next)| matches!(next, '"' | '\\')) {
                Some((_, escaped)) => value.push(escaped),
                None => value.push('\\'),
            },
            c => value.push(c),
        }
    }
    (rest.len(), value)
}

fn name_length(rest: &str) -> usize {
    let mut length = 0;
    loop {
        let segment = &rest[length..];
        let segment = segment.strip_prefix("::").unwrap_or(segment);
        if !segment.starts_with(|c: char| c.is_alphabetic() || matches!(c, '_' | '$'))
            || (length > 0 && !rest[length..].starts_with("::"))
        {
            return length;
        }
        let end = segment
            .find(|c: char| !(c.is_alphanumeric() || matches!(c, '_' | '$')))
            .unwrap_or(segment.len());
        length = rest.len() - segment.len() + end;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn strings_and_names() {
        let text = r#"called_n(::a::B, <= 2e3) & now("x\"y") -> forall é in d: F"#;
        let found: Vec<String> = words(text, 0..text.len())
            .map(|(range, word)| {
                if let Word::Name(name) = word {
                    assert_eq!(&text[range], name);
                    return name.to_owned();
                }
                format!("{word:?}")
            })
            .collect();
        assert_eq!(
            found,
            [
                "called_n",
                "::a::B",
                "now",
                r#"Text("x\"y")"#,
                "forall",
                "é",
                "in",
                "d",
                "F"
            ]
        );
    }
}
