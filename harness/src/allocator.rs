//! [`Counting`]: the system's allocator, entering every byte in the calling thread's book.
//!
//! Each allocation costs a look at a thread-local more, on all paths alike.

use std::alloc::{GlobalAlloc, Layout, System};

use harness::replay::memory::{grown, shrunk};

pub(crate) struct Counting;

// SAFETY: every call goes to the system's allocator unchanged. The book is a thread-local without a destructor, entering
// something in it neither allocates nor unwinds.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        grown(layout.size());
        // SAFETY: the caller's promise is passed on.
        unsafe { System.alloc(layout) }
    }

    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        grown(layout.size());
        // SAFETY: as above.
        unsafe { System.alloc_zeroed(layout) }
    }

    unsafe fn dealloc(&self, ptr: *mut u8, layout: Layout) {
        shrunk(layout.size());
        // SAFETY: as above.
        unsafe { System.dealloc(ptr, layout) }
    }

    unsafe fn realloc(&self, ptr: *mut u8, layout: Layout, new_size: usize) -> *mut u8 {
        // The new piece may exist beside the old one for a moment.
        grown(new_size);
        shrunk(layout.size());
        // SAFETY: as above.
        unsafe { System.realloc(ptr, layout, new_size) }
    }
}
