//! Prompts made from a template.

use std::fmt;

use super::Requirement;

#[derive(Clone, Debug, PartialEq)]
pub(super) struct Template(Vec<Part>);

#[derive(Clone, Debug, PartialEq)]
enum Part {
    Text(String),
    Id,
    Description,
    Tasks,
}

impl Template {
    pub(super) fn parse(text: &str) -> Result<Self, TemplateError> {
        let mut parts = Vec::new();
        let mut plain = String::new();
        let mut rest = text.char_indices().peekable();
        while let Some((at, character)) = rest.next() {
            match character {
                '{' | '}' if rest.next_if(|(_, next)| *next == character).is_some() => {
                    plain.push(character);
                }
                '{' => {
                    let after = &text[at + 1..];
                    let Some(length) = after.find(['{', '}']) else {
                        return Err(TemplateError::LonelyBrace { at });
                    };
                    let (name, tail) = after.split_at(length);
                    if tail.starts_with('{') {
                        return Err(TemplateError::LonelyBrace { at });
                    }
                    let part = match name {
                        "requirement_id" => Part::Id,
                        "requirement_description" => Part::Description,
                        "tasks" => Part::Tasks,
                        _ => {
                            let name = name.to_owned();
                            return Err(TemplateError::UnknownName { at, name });
                        }
                    };
                    parts.push(Part::Text(std::mem::take(&mut plain)));
                    parts.push(part);
                    let end = at + 1 + length;
                    while rest.next_if(|(at, _)| *at <= end).is_some() {}
                }
                '}' => return Err(TemplateError::LonelyBrace { at }),
                other => plain.push(other),
            }
        }
        parts.push(Part::Text(plain));
        Ok(Template(parts))
    }

    pub(super) fn fill(&self, requirement: &Requirement) -> String {
        let mut text = String::new();
        for part in &self.0 {
            match part {
                Part::Text(plain) => text.push_str(plain),
                Part::Id => text.push_str(&requirement.id),
                Part::Description => text.push_str(&requirement.description),
                Part::Tasks if requirement.tasks.is_empty() => {
                    text.push_str("    (No specific tasks)");
                }
                Part::Tasks => {
                    let tasks = requirement.tasks.iter().map(|task| format!("    - {task}"));
                    text.push_str(&tasks.collect::<Vec<_>>().join("\n"));
                }
            }
        }
        text
    }
}

/// A template that cannot be filled.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum TemplateError {
    /// A word in braces that stands for nothing.
    UnknownName {
        /// The byte at which it begins.
        at: usize,
        /// The word.
        name: String,
    },
    /// A brace without its partner.
    LonelyBrace {
        /// The byte at which it is.
        at: usize,
    },
}

impl fmt::Display for TemplateError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            TemplateError::UnknownName { at, name } => write!(
                f,
                "byte {at} of the template: `{{{name}}}` stands for nothing; there are {{requirement_id}}, {{requirement_description}} and {{tasks}}"
            ),
            TemplateError::LonelyBrace { at } => write!(
                f,
                "byte {at} of the template: a brace without its partner; write it twice for a brace in the text"
            ),
        }
    }
}

impl std::error::Error for TemplateError {}

#[cfg(test)]
mod tests {
    use super::*;

    fn filled(template: &str) -> Result<String, TemplateError> {
        let requirement = Requirement::new("R1", "warm {tasks}")
            .with_task("a")
            .with_task("b");
        Template::parse(template).map(|template| template.fill(&requirement))
    }

    #[test]
    fn names_are_replaced_once() {
        assert_eq!(filled("").as_deref(), Ok(""));
        assert_eq!(
            filled("é{requirement_id}: {requirement_description}\n{tasks}!").as_deref(),
            Ok("éR1: warm {tasks}\n    - a\n    - b!")
        );
        assert_eq!(
            filled("{{x}} {{{tasks}}}").as_deref(),
            Ok("{x} {    - a\n    - b}")
        );
    }

    #[test]
    fn what_cannot_be_filled_is_refused() {
        let unknown = TemplateError::UnknownName {
            at: 2,
            name: "task".to_owned(),
        };
        assert_eq!(filled("a {task}"), Err(unknown));
        for (template, at) in [("a {tasks", 2), ("}", 0), ("{a{b}", 0), ("x }", 2)] {
            assert_eq!(
                filled(template),
                Err(TemplateError::LonelyBrace { at }),
                "{template}"
            );
        }
    }
}
