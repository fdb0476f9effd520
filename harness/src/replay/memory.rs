//! What a thread has allocated and not freed: the safe half of a counting allocator.
//!
//! The program's global allocator calls [`grown`] and [`shrunk`]; where nobody does, in a test for instance, nothing is
//! [counted](is_counted). Each thread has a book of its own, so that threads which allocate side by side under `compare` share no
//! cache line because of it; this is why no allocator from the registry stands here: those that keep bytes and their
//! maximum keep them in atomics for all threads, or copy on every `realloc`.

use std::{cell::Cell, hint::black_box};

/// A thread's book.
#[derive(Clone, Copy)]
struct Book {
    open: bool,
    held: i64,
    most: i64,
}

thread_local! {
    // Without a destructor and made at compile time: the allocator may use it at any moment of a thread's life.
    static BOOK: Cell<Book> = const { Cell::new(Book { open: false, held: 0, most: 0 }) };
}

/// The calling thread has allocated so many bytes. Allocates nothing.
#[inline]
pub fn grown(bytes: usize) {
    enter(bytes as i64);
}

/// The calling thread has freed so many bytes. Allocates nothing.
#[inline]
pub fn shrunk(bytes: usize) {
    enter(-(bytes as i64));
}

#[inline]
fn enter(bytes: i64) {
    let book = BOOK.get();
    if book.open {
        let held = book.held + bytes;
        BOOK.set(Book { held, most: book.most.max(held), ..book });
    }
}

/// Whether an allocator counts.
pub fn is_counted() -> bool {
    let mut meter = Meter::default();
    meter.run(|| drop(black_box(Box::new(1_u64))));
    meter.most() > 0
}

/// Counts what is allocated and freed in some of what a thread does.
#[derive(Clone, Copy, Debug, Default)]
pub struct Meter {
    held: i64,
    most: i64,
}

impl Meter {
    /// Counts during `f`. Not nested: an inner meter takes over from the outer one.
    #[inline]
    pub fn run<R>(&mut self, f: impl FnOnce() -> R) -> R {
        BOOK.set(Book { open: true, held: self.held, most: self.most });
        let result = f();
        let Book { held, most, .. } = BOOK.get();
        BOOK.set(Book { open: false, held, most });
        (self.held, self.most) = (held, most);
        result
    }

    /// Bytes allocated and not freed; negative where something was freed that was allocated outside.
    pub fn held(&self) -> i64 {
        self.held
    }

    /// The most that [`held`](Self::held) ever was.
    pub fn most(&self) -> i64 {
        self.most
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn books_what_happens_inside() {
        let mut meter = Meter::default();
        grown(1000);
        meter.run(|| {
            grown(100);
            grown(50);
            shrunk(100);
        });
        grown(1000);
        assert_eq!((meter.held(), meter.most()), (50, 150));
        meter.run(|| shrunk(60));
        assert_eq!((meter.held(), meter.most()), (-10, 150));
        std::thread::scope(|scope| {
            meter.run(|| scope.spawn(|| grown(1000)).join()).expect("counts nothing here");
        });
        assert_eq!(meter.most(), 150, "another thread's");
    }
}
