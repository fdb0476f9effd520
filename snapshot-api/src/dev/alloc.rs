//! [`CountingAllocator`]: who allocated how much, thread by thread.

#![allow(unsafe_code, reason = "a global allocator is unsafe to implement")]

use std::{
    alloc::{GlobalAlloc, Layout, System},
    cell::Cell,
    sync::atomic::{AtomicI64, AtomicU64, AtomicUsize, Ordering},
};

/// The system's allocator, counting on the account of the calling thread. [`counting_allocator!`](crate::counting_allocator)
/// installs it.
#[derive(Clone, Copy, Debug, Default)]
pub struct CountingAllocator;

/// Installs [`CountingAllocator`](crate::dev::alloc::CountingAllocator) in a test binary, for the laws on memory.
#[macro_export]
macro_rules! counting_allocator {
    () => {
        #[global_allocator]
        static COUNTING: $crate::dev::alloc::CountingAllocator =
            $crate::dev::alloc::CountingAllocator;
    };
}

/// What the threads that entered it have allocated and not freed.
///
/// ```
/// snapshot_api::counting_allocator!();
/// # fn main() {
/// use snapshot_api::dev::alloc::Account;
///
/// let account = Account::open();
/// let kept = account.enter(|| vec![0_u8; 1000]);
/// assert_eq!((account.allocations(), account.bytes()), (1, 1000));
/// # drop(kept);
/// # }
/// ```
#[derive(Clone, Copy, Debug)]
pub struct Account(usize);

struct Books {
    allocations: AtomicU64,
    bytes: AtomicI64,
}

/// More accounts than one test binary opens.
const ACCOUNTS: usize = 4096;

static BOOKS: [Books; ACCOUNTS] =
    [const { Books { allocations: AtomicU64::new(0), bytes: AtomicI64::new(0) } }; ACCOUNTS];

thread_local! {
    /// The account that this thread counts on; 0 is nobody's.
    static OWN: Cell<usize> = const { Cell::new(0) };
}

impl Account {
    /// A new account, empty.
    ///
    /// # Panics
    ///
    /// After 4,095 of them.
    pub fn open() -> Self {
        static NEXT: AtomicUsize = AtomicUsize::new(1);
        // Relaxed: a read-modify-write gives each caller its own number.
        let account = NEXT.fetch_add(1, Ordering::Relaxed);
        assert!(account < ACCOUNTS, "all {ACCOUNTS} accounts are open");
        Account(account)
    }

    /// Counts on this account what the calling thread allocates and frees during `f`.
    pub fn enter<R>(self, f: impl FnOnce() -> R) -> R {
        struct Leave(usize);
        impl Drop for Leave {
            fn drop(&mut self) {
                OWN.set(self.0);
            }
        }
        let _leave = Leave(OWN.replace(self.0));
        f()
    }

    /// How often a thread inside allocated.
    pub fn allocations(self) -> u64 {
        // Relaxed: exact once the threads inside have been joined or have passed it on otherwise.
        BOOKS[self.0].allocations.load(Ordering::Relaxed)
    }

    /// Bytes allocated and not freed by threads inside. Negative when they freed what was allocated outside.
    pub fn bytes(self) -> i64 {
        // Relaxed: as above.
        BOOKS[self.0].bytes.load(Ordering::Relaxed)
    }

    /// Whether the counting allocator is installed in this binary.
    pub fn is_counting() -> bool {
        let account = Account::open();
        account.enter(|| drop(std::hint::black_box(Box::new(1_u64))));
        account.allocations() > 0
    }
}

fn book(bytes: i64, allocations: u64) {
    // The cell is gone only while the thread ends.
    let own = OWN.try_with(Cell::get).unwrap_or(0);
    if own != 0 {
        // Relaxed: counters, they order nothing.
        BOOKS[own].bytes.fetch_add(bytes, Ordering::Relaxed);
        BOOKS[own].allocations.fetch_add(allocations, Ordering::Relaxed);
    }
}

// SAFETY: every call goes to the system's allocator unchanged; counting touches atomics and a thread-local without a
// destructor, and allocates nothing itself.
unsafe impl GlobalAlloc for CountingAllocator {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        book(layout.size() as i64, 1);
        // SAFETY: the caller's promise is passed on.
        unsafe { System.alloc(layout) }
    }

    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        book(layout.size() as i64, 1);
        // SAFETY: the caller's promise is passed on.
        unsafe { System.alloc_zeroed(layout) }
    }

    unsafe fn dealloc(&self, place: *mut u8, layout: Layout) {
        book(-(layout.size() as i64), 0);
        // SAFETY: the caller's promise is passed on.
        unsafe { System.dealloc(place, layout) }
    }

    unsafe fn realloc(&self, place: *mut u8, layout: Layout, new_size: usize) -> *mut u8 {
        book(new_size as i64 - layout.size() as i64, 1);
        // SAFETY: the caller's promise is passed on.
        unsafe { System.realloc(place, layout, new_size) }
    }
}
