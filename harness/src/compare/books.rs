//! [`Books`]: what the system writes down about a thread.

use std::{fs, time::Duration};

/// How long a thread has had a core, and how long it was ready and had none.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Books {
    /// On a core.
    pub on_core: Duration,
    /// Ready, with no core.
    pub off_core: Duration,
}

impl Books {
    /// Those of the calling thread; none where the system keeps none. Linux: `/proc/thread-self/schedstat`.
    pub fn of_this_thread() -> Option<Self> {
        fs::read_to_string("/proc/thread-self/schedstat").ok().as_deref().and_then(Books::read)
    }

    fn read(line: &str) -> Option<Self> {
        let mut nanos = line.split_ascii_whitespace().map(|word| word.parse().ok());
        let mut next = || nanos.next().flatten().map(Duration::from_nanos);
        Some(Books { on_core: next()?, off_core: next()? })
    }

    /// What came since.
    #[must_use]
    pub fn since(self, earlier: Books) -> Self {
        Books {
            on_core: self.on_core.saturating_sub(earlier.on_core),
            off_core: self.off_core.saturating_sub(earlier.off_core),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_of_the_system() {
        let books = Books::read("92363 64321 2\n").expect("two times and a count");
        assert_eq!(books.on_core, Duration::from_nanos(92_363));
        assert_eq!(books.off_core, Duration::from_nanos(64_321));
        assert_eq!(Books::read("92363"), None);
        assert_eq!(Books::read("x y z"), None);
        let later = Books::read("92463 64321 3").expect("the same");
        assert_eq!(later.since(books).on_core, Duration::from_nanos(100));
    }
}
