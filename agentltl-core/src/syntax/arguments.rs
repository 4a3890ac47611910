//! What stands between a form's parentheses, and in a quantifier's head.

use super::ParseError;
use super::lexer::{Kind, Token};
use super::parse::Parser;
use super::words::Call;
use crate::node::{Bound, Domain, Node, Pattern};
use crate::text::{Name, Seq, Text};

impl Parser<'_, '_> {
    /// The arguments of a form, up to the closing parenthesis.
    pub(super) fn arguments(&mut self, call: Call) -> Result<Node, ParseError> {
        Ok(match call {
            Call::Called | Call::Eventually | Call::Always => Node::Called(self.tool()?),
            Call::Now => Node::Now(self.tool()?),
            Call::Before => {
                let (a, b) = self.two_tools()?;
                Node::Before(a, b)
            }
            Call::After => {
                let (a, b) = self.two_tools()?;
                Node::After(a, b)
            }
            Call::AllBefore => {
                let tools = self.tools()?;
                self.comma("the tool they come before")?;
                Node::AllBefore(tools, self.tool()?)
            }
            Call::InOrder => Node::InOrder(self.tools()?),
            Call::BranchCalled => self.branch()?,
            Call::CalledN => {
                let tool = self.tool()?;
                self.comma("a bound such as `<= 2`")?;
                Node::CalledN(tool, self.bound()?)
            }
            Call::CalledWith => {
                let tool = self.tool()?;
                Node::CalledWith(tool, self.args()?)
            }
            Call::CalledWithResult => {
                let tool = self.tool()?;
                self.comma("the result")?;
                let result = self.value()?;
                Node::CalledWithResult(tool, result, self.args()?)
            }
            Call::WithinSteps => {
                let (a, b) = self.two_tools()?;
                self.comma("a number of calls")?;
                Node::WithinSteps(a, b, self.cursor.int("a number of calls")?)
            }
            Call::InstanceBefore => {
                let (a, n) = self.instance()?;
                self.comma("the other call")?;
                let (b, m) = self.instance()?;
                Node::InstanceBefore(a, n, b, m)
            }
            Call::Matches => {
                let tools = if self.cursor.at(Kind::OpenList) {
                    self.tools()?
                } else {
                    Seq::from(vec![self.tool()?])
                };
                Node::Matches(Pattern::Tools(tools, self.args()?))
            }
            Call::Predicate => self.predicate()?,
            // Its formula is read by the operator parser, which never comes here with it.
            Call::CountBefore => return Err(self.cursor.unexpected("a formula")),
        })
    }

    /// The head of a quantifier, up to its colon.
    pub(super) fn quantifier(&mut self, universal: bool) -> Result<(Node, Text), ParseError> {
        let word = if universal { "forall" } else { "exists" };
        let help = || format!("a quantifier is written so: {word} x in args(\"a\", \"key\"): ..");
        if self.cursor.at(Kind::Question) {
            return Err(self
                .cursor
                .unexpected(&format!("a name after `{word}`"))
                .with_help("the `?` stands where the variable is used, not here"));
        }
        let (variable, _) = self
            .cursor
            .key(&format!("a name after `{word}`"))
            .map_err(|error| error.with_help(help()))?;
        if !self.cursor.at_word("in") {
            return Err(self.cursor.unexpected("`in`").with_help(help()));
        }
        self.cursor.advance();
        let domain = self.domain().map_err(|error| error.with_help(help()))?;
        self.cursor
            .expect(Kind::Colon, "`:`")
            .map_err(|error| error.with_help(help()))?;
        let node = if universal {
            Node::Forall(variable.clone(), domain)
        } else {
            Node::Exists(variable.clone(), domain)
        };
        Ok((node, variable))
    }

    fn domain(&mut self) -> Result<Domain, ParseError> {
        const WHAT: &str = "a domain";
        const TAKES: &str = "the domains are args(\"a\", \"key\"), results(\"a\"), \
                             results(\"a\", \"field\"), a list of values, and a registered function";
        if self.cursor.at(Kind::OpenList) {
            return Ok(Domain::Values(self.value_list()?));
        }
        let token = self.cursor.token();
        if !matches!(token.kind, Kind::Word | Kind::PathSep) {
            return Err(self.cursor.unexpected(WHAT).with_help(TAKES));
        }
        let args = self.cursor.at_word("args");
        let results = self.cursor.at_word("results");
        let path = self.path(WHAT)?;
        if !self.cursor.at(Kind::OpenParen) {
            let host = self.host.domain(&path);
            return host.map(Domain::Host).map_err(|reason| {
                self.unknown("domain", &path, token, &reason)
                    .with_help(TAKES)
            });
        }
        if !(args || results) {
            return Err(ParseError::new(
                token.start..self.cursor.last_end(),
                format!("unknown domain `{path}(..)`"),
            )
            .with_help(TAKES));
        }
        self.cursor.advance();
        let domain = self
            .domain_arguments(args)
            .map_err(|error| error.with_help(TAKES))?;
        self.cursor
            .expect(Kind::CloseParen, "`)`")
            .map_err(|error| error.with_help(TAKES))?;
        Ok(domain)
    }

    fn domain_arguments(&mut self, args: bool) -> Result<Domain, ParseError> {
        let tool = self.tool()?;
        if args {
            self.comma("the argument's name as a string")?;
            let key = self.cursor.string("the argument's name as a string")?;
            return Ok(Domain::Args(tool, key));
        }
        let field = if self.cursor.eat(Kind::Comma) {
            Some(self.cursor.string("the field's name as a string")?)
        } else {
            None
        };
        Ok(Domain::Results(tool, field))
    }

    fn branch(&mut self) -> Result<Node, ParseError> {
        let correct = self.tool()?;
        let (mut wrong, mut context) = (None, None);
        while context.is_none() && self.cursor.eat(Kind::Comma) {
            let token = self.cursor.token();
            let keyword = self.cursor.at_word("context");
            let what = if wrong.is_none() {
                "the wrong tool or `context=`"
            } else {
                "`context=`"
            };
            match token.kind {
                Kind::Str if wrong.is_none() => wrong = Some(self.tool()?),
                Kind::Word | Kind::PathSep if wrong.is_none() || keyword => {
                    let path = self.path(what)?;
                    if keyword && self.cursor.eat(Kind::Assign) {
                        context = Some(self.cursor.string("the context as a string")?);
                    } else if wrong.is_none() {
                        wrong = Some(self.named_tool(&path, token)?);
                    } else {
                        return Err(self.cursor.unexpected("`=`"));
                    }
                }
                _ => return Err(self.cursor.unexpected(what)),
            }
        }
        Ok(Node::BranchCalled {
            correct,
            wrong,
            context,
        })
    }

    fn predicate(&mut self) -> Result<Node, ParseError> {
        const WHAT: &str = "the name of a function";
        let token = self.cursor.token();
        if token.kind == Kind::Str {
            return Err(self
                .cursor
                .unexpected(WHAT)
                .with_help("a predicate's name has no quotes: predicate(few_calls)"));
        }
        let path = self.path(WHAT)?;
        let function = self
            .host
            .predicate(&path)
            .map_err(|reason| self.unknown("predicate", &path, token, &reason))?;
        let mut runtime_safe = None;
        if self.cursor.eat(Kind::Comma) {
            if !self.cursor.at_word("runtime_safe") {
                return Err(self.cursor.unexpected("`runtime_safe=`"));
            }
            self.cursor.advance();
            self.cursor.expect(Kind::Assign, "`=`")?;
            runtime_safe = Some(self.cursor.at_word("true"));
            if !(self.cursor.at_word("true") || self.cursor.at_word("false")) {
                return Err(self.cursor.unexpected("`true` or `false`"));
            }
            self.cursor.advance();
        }
        Ok(Node::Predicate {
            function,
            runtime_safe,
        })
    }

    fn two_tools(&mut self) -> Result<(Name, Name), ParseError> {
        let a = self.tool()?;
        self.comma("the second tool")?;
        Ok((a, self.tool()?))
    }

    fn instance(&mut self) -> Result<(Name, i64), ParseError> {
        let tool = self.tool()?;
        self.cursor
            .expect(Kind::OpenList, "`[` and the number of the call")?;
        let number = self.cursor.int("the number of the call")?;
        self.cursor.expect(Kind::CloseList, "`]`")?;
        Ok((tool, number))
    }

    /// `CMP INT`
    pub(super) fn bound(&mut self) -> Result<Bound, ParseError> {
        let Kind::Compare(cmp) = self.cursor.token().kind else {
            return Err(self
                .cursor
                .unexpected("a comparison, one of `==`, `>=`, `<=`, `>`, `<`"));
        };
        self.cursor.advance();
        let number = self.cursor.int("a whole number")?;
        Ok(Bound { cmp, number })
    }

    /// `[T..]`
    fn tools(&mut self) -> Result<Seq<Name>, ParseError> {
        self.cursor
            .expect(Kind::OpenList, "`[` and a list of tools")?;
        let mut tools = vec![self.tool()?];
        while self.cursor.eat(Kind::Comma) {
            tools.push(self.tool()?);
        }
        self.cursor.expect(Kind::CloseList, "`,` or `]`")?;
        Ok(tools.into())
    }

    /// A tool's name: a string, or the path of a Rust constant.
    fn tool(&mut self) -> Result<Name, ParseError> {
        const WHAT: &str = "a tool's name in quotes";
        let token = self.cursor.token();
        match token.kind {
            Kind::Str => {
                self.cursor.advance();
                Ok(Name::from(self.cursor.content(token)))
            }
            Kind::Word | Kind::PathSep => {
                let path = self.path(WHAT)?;
                if self.cursor.at(Kind::OpenParen) {
                    // A formula where a tool should be: eventually(called("a")).
                    return Err(ParseError::new(
                        token.start..self.cursor.last_end(),
                        format!("expected {WHAT}, found `{path}(`"),
                    ));
                }
                self.named_tool(&path, token)
            }
            _ => Err(self.cursor.unexpected(WHAT)),
        }
    }

    fn named_tool(&mut self, path: &str, token: Token) -> Result<Name, ParseError> {
        self.host
            .tool(path)
            .map_err(|reason| self.unknown("tool", path, token, &reason))
    }

    /// `ident(::ident)*`, with or without a leading `::`; blanks between do not count.
    fn path(&mut self, what: &str) -> Result<String, ParseError> {
        let mut path = String::new();
        loop {
            if self.cursor.eat(Kind::PathSep) {
                path.push_str("::");
            } else if !path.is_empty() {
                return Ok(path);
            }
            let token = self.cursor.expect(Kind::Word, what)?;
            path.push_str(self.cursor.slice(token));
        }
    }

    fn unknown(&self, what: &str, path: &str, token: Token, reason: &str) -> ParseError {
        ParseError::new(
            token.start..self.cursor.last_end(),
            format!("unknown {what} `{path}`: {reason}"),
        )
    }

    /// The comma before another argument.
    fn comma(&mut self, next: &str) -> Result<(), ParseError> {
        self.cursor
            .expect(Kind::Comma, &format!("`,` and {next}"))
            .map(|_| ())
    }
}
