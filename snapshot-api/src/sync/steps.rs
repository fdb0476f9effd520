//! The law book's hand on a thread: what happens before each access to shared state.
//!
//! A thread without a plan runs on. A thread with one asks it before every atomic access and lock operation; the plan may
//! stall it, let it panic, count, or run something else in between. While a plan runs, the thread has none, so that it may
//! use the same types itself. In a release build nobody asks.

use std::cell::RefCell;

/// Whether threads ask their plans in this build.
pub(crate) const ACTIVE: bool = cfg!(debug_assertions);

/// What the thread is about to do.
#[cfg_attr(
    not(debug_assertions),
    expect(dead_code, reason = "in a release build no thread has steps")
)]
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Step {
    /// An atomic access, a fence or a foreign cell.
    Access,
    /// It asks for a lock.
    Lock,
    /// It found a lock taken, or it spins for another thread: it waits.
    Blocked,
    /// It has just got a lock and holds it.
    Held,
}

type Plan = Box<dyn FnMut(Step)>;

thread_local! {
    static PLAN: RefCell<Option<Plan>> = const { RefCell::new(None) };
}

/// Asks this thread's plan.
#[cfg(debug_assertions)]
pub(crate) fn step(step: Step) {
    // During unwinding a plan that panics once more would abort the process.
    if std::thread::panicking() {
        return;
    }
    // The slot is gone only while the thread ends: then nobody plans any more.
    let Some(mut plan) = PLAN.try_with(|slot| slot.borrow_mut().take()).ok().flatten() else {
        return;
    };
    plan(step);
    PLAN.with(|slot| *slot.borrow_mut() = Some(plan));
}

/// Runs `f` with `plan` in force on this thread. A plan that panics is dropped.
pub(crate) fn with_plan<R>(plan: impl FnMut(Step) + 'static, f: impl FnOnce() -> R) -> R {
    struct Clear;
    impl Drop for Clear {
        fn drop(&mut self) {
            PLAN.with(|slot| *slot.borrow_mut() = None);
        }
    }
    PLAN.with(|slot| *slot.borrow_mut() = Some(Box::new(plan)));
    let _clear = Clear;
    f()
}
