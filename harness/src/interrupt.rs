//! Ctrl-C: the first asks for an end, the second is one.
//!
//! ```text
//!  Ctrl-C ──► asked? ── no ──► asked := yes ──► the loop sees it after the cell in hand, prints what it has ──► 130
//!                    └─ yes ─► the program ends here and now ─────────────────────────────────────────────────► 130
//! ```
//!
//! A run takes minutes, and what it has measured until then is worth as much as if it had been asked for alone. Nothing is caught
//! before there is something to lose, so that until then Ctrl-C ends the program as it ends any other.

use std::{
    io,
    sync::{
        Mutex, PoisonError,
        atomic::{AtomicBool, Ordering},
    },
};

use signal_hook::{consts::SIGINT, flag};

/// The exit code of an interrupted run, which is the shell's for a program that Ctrl-C ended: 128 and the signal's number.
pub const EXIT_CODE: u8 = 130;

static ASKED: AtomicBool = AtomicBool::new(false);

/// What Ctrl-C means from now on.
#[derive(Clone, Copy, Debug)]
pub struct Interrupt;

impl Interrupt {
    /// From now on Ctrl-C asks for an end, and a second one ends the program at once with [`EXIT_CODE`]. To call it again
    /// changes nothing.
    ///
    /// # Errors
    ///
    /// The system lets nobody catch it.
    pub fn catch() -> io::Result<()> {
        static CAUGHT: Mutex<bool> = Mutex::new(false);

        let mut caught = CAUGHT.lock().unwrap_or_else(PoisonError::into_inner);
        if !*caught {
            // In this order: the first Ctrl-C must not find its own mark.
            flag::register_conditional_shutdown(SIGINT, EXIT_CODE.into(), &ASKED)?;
            flag::register(SIGINT, &ASKED)?;
            *caught = true;
        }
        Ok(())
    }

    /// Whether somebody asked for an end. Loops poll it between cells.
    pub fn asked() -> bool {
        // Relaxed: the flag is all there is to read; the handler stores it with SeqCst and nothing before it.
        ASKED.load(Ordering::Relaxed)
    }
}
