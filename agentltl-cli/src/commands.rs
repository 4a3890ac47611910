//! What the command can do.

pub(crate) mod analyze;
pub(crate) mod check;
pub(crate) mod classify;
pub(crate) mod convert;
pub(crate) mod explain;
pub(crate) mod fmt;
pub(crate) mod replay;
pub(crate) mod runs;
pub(crate) mod shell;
pub(crate) mod verify;
