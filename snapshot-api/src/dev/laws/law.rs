//! [`Law`]: a name, and how its breach is reported.

use std::fmt;

/// One law of the book. A test that finds it broken panics with its number and name first.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Law {
    label: &'static str,
    name: &'static str,
}

impl Law {
    /// For instance `law 1`, `one instant`.
    pub(crate) const fn new(label: &'static str, name: &'static str) -> Self {
        Law { label, name }
    }

    /// Fails the test in this law's name.
    #[track_caller]
    pub(crate) fn broken(&self, what: impl fmt::Display) -> ! {
        panic!("{self} is broken: {what}")
    }

    /// Fails the test in this law's name unless `holds`.
    #[track_caller]
    pub(crate) fn check(&self, holds: bool, what: impl FnOnce() -> String) {
        if !holds {
            self.broken(what());
        }
    }

    /// Fails the test in this law's name if `verdict` is a finding.
    #[track_caller]
    pub(crate) fn decide(&self, verdict: Result<(), String>) {
        if let Err(what) = verdict {
            self.broken(what);
        }
    }
}

impl fmt::Display for Law {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} ({})", self.label, self.name)
    }
}
