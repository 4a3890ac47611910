//! What a Rust path in a formula stands for is up to whoever runs the parser.

use crate::host::Host;
use crate::text::Name;

/// Gives meaning to the Rust paths in a formula.
///
/// The macro takes every path as it is, for rustc to resolve; a program looks it up among what the
/// caller registered. The error is the reason, without the place, as it should read after
/// "``unknown predicate `p` ``: ".
pub trait Resolve {
    /// A path where a tool's name may stand.
    ///
    /// # Errors
    /// The reason why the path names no tool.
    fn tool(&mut self, path: &str) -> Result<Name, String>;

    /// A path in `predicate(..)`.
    ///
    /// # Errors
    /// The reason why the path names no predicate.
    fn predicate(&mut self, path: &str) -> Result<Host, String>;

    /// A path where a quantifier's domain may stand.
    ///
    /// # Errors
    /// The reason why the path names no domain.
    fn domain(&mut self, path: &str) -> Result<Host, String>;
}

/// Refuses every path: the text is all there is.
#[derive(Clone, Copy, Debug, Default)]
pub struct NoHost;

impl Resolve for NoHost {
    fn tool(&mut self, path: &str) -> Result<Name, String> {
        Err(format!("a tool is named by a string here: \"{path}\""))
    }

    fn predicate(&mut self, _path: &str) -> Result<Host, String> {
        Err("no predicate of that name is registered".to_owned())
    }

    fn domain(&mut self, _path: &str) -> Result<Host, String> {
        Err("no domain of that name is registered".to_owned())
    }
}
