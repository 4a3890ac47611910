//! Values and named arguments.

use std::collections::HashSet;

use super::ParseError;
use super::cursor::clip;
use super::lexer::Kind;
use super::parse::Parser;
use crate::nearest::nearest;
use crate::text::{Seq, Text};
use crate::value::{Args, MAX_VALUE_DEPTH, Number, Value};

const WHAT: &str = "a value";

/// A list or object that is not closed yet.
enum Open {
    List(Vec<Value>),
    /// The fields so far, their names, and the name of the field being read.
    Object(Vec<(Text, Value)>, HashSet<Text>, Text),
}

impl Parser<'_, '_> {
    /// `, key=value..` up to the closing parenthesis.
    pub(super) fn args(&mut self) -> Result<Args, ParseError> {
        let mut pairs: Vec<(Text, Value)> = Vec::new();
        let mut names = HashSet::new();
        while self.cursor.eat(Kind::Comma) {
            let key = self.new_key(
                &mut names,
                "an argument such as `key=\"value\"`",
                "argument",
            )?;
            self.cursor
                .expect(Kind::Assign, "`=` and the argument's value")?;
            pairs.push((key, self.value()?));
        }
        Ok(Args::distinct(pairs))
    }

    /// `[value..]`
    pub(super) fn value_list(&mut self) -> Result<Seq<Value>, ParseError> {
        match self.value()? {
            Value::List(values) => Ok(values),
            value => Ok(vec![value].into()),
        }
    }

    /// A value, with a stack of its own for the lists and objects it nests.
    pub(super) fn value(&mut self) -> Result<Value, ParseError> {
        let mut open: Vec<Open> = Vec::new();
        loop {
            let Some(mut value) = self.value_or_opening(&mut open)? else {
                continue;
            };
            // The value may be the last of what it stands in, and that in turn.
            loop {
                let Some(around) = open.last_mut() else {
                    return Ok(value);
                };
                let (close, what) = match around {
                    Open::List(items) => {
                        items.push(value);
                        (Kind::CloseList, "`,` or `]`")
                    }
                    Open::Object(fields, _, key) => {
                        fields.push((std::mem::take(key), value));
                        (Kind::CloseObject, "`,` or `}`")
                    }
                };
                if self.cursor.eat(Kind::Comma) {
                    if let Open::Object(_, names, key) = around {
                        *key = self.field(names)?;
                    }
                    break;
                }
                self.cursor.expect(close, what)?;
                match open.pop() {
                    Some(Open::List(items)) => value = Value::List(items.into()),
                    Some(Open::Object(fields, ..)) => value = Value::Object(fields.into()),
                    None => return Err(self.cursor.unexpected(WHAT)),
                }
            }
        }
    }

    /// A value without others in it, or the opening of one with: then `None`.
    fn value_or_opening(&mut self, open: &mut Vec<Open>) -> Result<Option<Value>, ParseError> {
        let token = self.cursor.token();
        if matches!(token.kind, Kind::OpenList | Kind::OpenObject) && open.len() == MAX_VALUE_DEPTH
        {
            return Err(ParseError::new(
                token.start..token.end,
                format!("a value nests at most {MAX_VALUE_DEPTH} lists and objects"),
            ));
        }
        Ok(Some(match token.kind {
            Kind::Str => {
                self.cursor.advance();
                Value::Text(self.cursor.content(token))
            }
            Kind::Minus | Kind::Int | Kind::Float => Value::Number(self.number()?),
            Kind::Word => self.constant()?,
            Kind::Question => self.variable()?,
            Kind::OpenList => {
                self.cursor.advance();
                if !self.cursor.eat(Kind::CloseList) {
                    open.push(Open::List(Vec::new()));
                    return Ok(None);
                }
                Value::List(Seq::default())
            }
            Kind::OpenObject => {
                self.cursor.advance();
                if !self.cursor.eat(Kind::CloseObject) {
                    let mut names = HashSet::new();
                    let key = self.field(&mut names)?;
                    open.push(Open::Object(Vec::new(), names, key));
                    return Ok(None);
                }
                Value::Object(Seq::default())
            }
            _ => return Err(self.cursor.unexpected(WHAT)),
        }))
    }

    /// `key:` in an object.
    fn field(&mut self, names: &mut HashSet<Text>) -> Result<Text, ParseError> {
        let key = self.new_key(names, "a field's name", "field")?;
        self.cursor
            .expect(Kind::Colon, "`:` and the field's value")?;
        Ok(key)
    }

    fn new_key(
        &mut self,
        names: &mut HashSet<Text>,
        expected: &str,
        what: &str,
    ) -> Result<Text, ParseError> {
        let (key, range) = self.cursor.key(expected)?;
        if !names.insert(key.clone()) {
            return Err(ParseError::new(
                range,
                format!("the {what} `{}` is given twice", clip(&key)),
            )
            .with_help("each name can have one value"));
        }
        Ok(key)
    }

    fn constant(&mut self) -> Result<Value, ParseError> {
        let value = if self.cursor.at_word("true") {
            Value::Bool(true)
        } else if self.cursor.at_word("false") {
            Value::Bool(false)
        } else if self.cursor.at_word("null") {
            Value::Null
        } else {
            let word = self.cursor.word().unwrap_or_default();
            let help = if self.scope.binds(word) {
                format!("the variable is written `?{word}`")
            } else if word == "None" || word == "nil" || word == "undefined" {
                "that is written `null`".to_owned()
            } else {
                format!("a string is written in double quotes: `\"{}\"`", clip(word))
            };
            return Err(self.cursor.unexpected(WHAT).with_help(help));
        };
        self.cursor.advance();
        Ok(value)
    }

    fn number(&mut self) -> Result<Number, ParseError> {
        let start = self.cursor.token().start;
        let sign = if self.cursor.eat(Kind::Minus) {
            "-"
        } else {
            ""
        };
        let token = self.cursor.token();
        let digits = self.cursor.slice(token);
        let whole = match token.kind {
            Kind::Int => format!("{sign}{digits}").parse().ok().map(Number::int),
            Kind::Float => None,
            _ => return Err(self.cursor.unexpected("a number after `-`")),
        };
        self.cursor.advance();
        // A whole number beyond 128 bits is read as JSON readers do: as the nearest float.
        whole
            .or_else(|| Number::float(format!("{sign}{digits}").parse().ok()?))
            .ok_or_else(|| {
                ParseError::new(
                    start..token.end,
                    format!("the number `{sign}{}` is too large", clip(digits)),
                )
            })
    }

    fn variable(&mut self) -> Result<Value, ParseError> {
        let start = self.cursor.advance().start;
        let (name, range) = self.cursor.key("a variable's name after `?`")?;
        if self.scope.binds(&name) {
            return Ok(Value::Var(name));
        }
        let error = ParseError::new(
            start..range.end,
            format!("no quantifier binds the variable `?{}`", clip(&name)),
        );
        let mut bound: Vec<&str> = self.scope.names().map(Text::as_str).collect();
        bound.sort_unstable();
        Err(if let Some(near) = nearest(&name, bound.iter().copied()) {
            error.with_help(format!("did you mean `?{near}`?"))
        } else if bound.is_empty() {
            error.with_help(format!(
                "bind it: forall {} in args(\"a\", \"key\"): ..",
                clip(&name)
            ))
        } else {
            error.with_help(format!("bound here: ?{}", bound.join(", ?")))
        })
    }
}
