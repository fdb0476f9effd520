//! [`Cores`]: which thread runs on which core.
//!
//! Two threads that the system puts on one core for a while, the other core idle, look like a slow strategy. So each thread
//! stays on a core of its own, as long as there are cores: those that are measured first, then those that work beside them.
//! What is left over runs anywhere. Where more threads are measured than there are cores, all run anywhere: it is the system's
//! business who is served.

use std::sync::OnceLock;

use core_affinity::CoreId;

/// The cores that the program may use.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Cores(Vec<CoreId>);

impl Cores {
    /// Those of this machine. They are asked for once: a thread that stays on one core sees no other, nor do those that it
    /// starts.
    pub fn of_this_machine() -> &'static Self {
        static CORES: OnceLock<Cores> = OnceLock::new();
        CORES.get_or_init(|| Cores(core_affinity::get_core_ids().unwrap_or_default()))
    }

    /// Keeps the calling thread on its core: the `number`th of a measurement, the measured ones first, of which there are so
    /// many. Whether it has one, and the system does that.
    pub fn keep(&self, number: usize, measured: usize) -> bool {
        self.core(number, measured).is_some_and(core_affinity::set_for_current)
    }

    fn core(&self, number: usize, measured: usize) -> Option<CoreId> {
        self.0.get(number).filter(|_| measured <= self.0.len()).copied()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_thread_has_a_core_while_there_are_some() {
        let cores = Cores([4, 6, 7].map(|id| CoreId { id }).to_vec());
        let of = |measured| -> Vec<Option<usize>> {
            (0..4).map(|number| cores.core(number, measured).map(|core| core.id)).collect()
        };
        assert_eq!(of(1), [Some(4), Some(6), Some(7), None]);
        assert_eq!(of(3), [Some(4), Some(6), Some(7), None]);
        assert_eq!(of(4), [None; 4], "more are measured than there are cores");
        assert!(!Cores(Vec::new()).keep(0, 1), "a system that does not tell");
    }

    /// The system says where the thread may run from now on.
    #[test]
    #[cfg(target_os = "linux")]
    fn a_thread_that_is_kept_sees_one_core() {
        let all = Cores::of_this_machine();
        let kept = || {
            let number = all.0.len() - 1;
            all.keep(number, 1).then(|| (core_affinity::get_core_ids(), all.0[number]))
        };
        let told = std::thread::scope(|scope| scope.spawn(kept).join());
        // A sandbox may forbid it.
        if let Some((seen, core)) = told.expect("it does not panic") {
            assert_eq!(seen, Some(vec![core]));
        }
    }
}
