//! The locks of the shared handle. It takes them from here, so that a test can put a model checker's
//! in their place.

pub(super) use std::sync::{Arc, Mutex};
