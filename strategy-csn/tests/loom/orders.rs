//! The orders of the log's protocols, each as a model of a few words: the right one passes, the one that looks right fails.

use snapshot_api::dev::interleavings::every;
use std::sync::Arc;

use loom::thread;
use snapshot_api::sync::{AtomicU64, Ordering, fence};

use Ordering::{Acquire, Relaxed, Release};

/// One id, or one of each of two pages; what it takes to publish, to fold and to register.
struct Words {
    number: AtomicU64,
    latest: AtomicU64,
    oldest: AtomicU64,
    entries: [AtomicU64; 3],
    /// The id's entry is gone: it ended before every snapshot.
    folded: AtomicU64,
    slot: AtomicU64,
    mark: AtomicU64,
}

const FREE: u64 = u64::MAX;

fn words() -> Arc<Words> {
    Arc::new(Words {
        number: AtomicU64::new(1),
        latest: AtomicU64::new(0),
        oldest: AtomicU64::new(1),
        entries: [0, 0, 0].map(AtomicU64::new),
        folded: AtomicU64::new(0),
        slot: AtomicU64::new(FREE),
        mark: AtomicU64::new(0),
    })
}

impl Words {
    /// Ends an id under a number.
    fn end(&self, id: u64, number: u64) {
        self.entries[id as usize].store(number, Release);
        self.latest.store(id, Release);
        self.number.store(number, Release);
    }

    fn runs(&self, id: u64, number: u64) -> bool {
        let ended = self.entries[id as usize].load(Acquire);
        ended == 0 || ended > number
    }
}

/// Runs `writer` beside `reader`, in every interleaving.
fn model(writer: fn(&Words), reader: fn(&Words)) {
    every(move || {
        let words = words();
        let beside = {
            let words = Arc::clone(&words);
            thread::spawn(move || writer(&words))
        };
        reader(&words);
        beside.join().expect("no panic");
    });
}

fn ends_a_tree(words: &Words) {
    words.entries[1].store(2, Release);
    words.end(2, 2);
}

fn whole(words: &Words, number: u64, xmax: u64) {
    let runs = [1, 2].map(|id| id >= xmax || words.runs(id, number));
    assert!(runs[0] == runs[1], "half of a tree has ended");
}

#[test]
fn number_then_xmax() {
    model(ends_a_tree, |words| {
        let number = words.number.load(Acquire);
        whole(words, number, words.latest.load(Acquire) + 1);
    });
}

#[test]
#[should_panic(expected = "half of a tree has ended")]
fn xmax_then_number_fails() {
    model(ends_a_tree, |words| {
        let xmax = words.latest.load(Acquire) + 1;
        // Of a tree of ids 1 and 2 one lies below this xmax.
        let number = words.number.load(Acquire);
        whole(words, number, xmax.max(2));
    });
}

#[test]
#[should_panic(expected = "half of a tree has ended")]
fn number_before_entries_fails() {
    let writer = |words: &Words| {
        words.latest.store(2, Release);
        words.number.store(2, Release);
        words.entries[1].store(2, Release);
        words.entries[2].store(2, Release);
    };
    model(writer, |words| {
        let number = words.number.load(Acquire);
        whole(words, number, words.latest.load(Acquire) + 1);
    });
}

fn ends_one_and_moves_oldest(words: &Words) {
    words.end(1, 2);
    words.oldest.store(2, Release);
}

fn bounds_agree(words: &Words, oldest: u64, number: u64) {
    assert!(oldest <= 1 || !words.runs(1, number), "an id below the bound runs");
}

#[test]
fn oldest_then_number() {
    model(ends_one_and_moves_oldest, |words| {
        let oldest = words.oldest.load(Acquire);
        bounds_agree(words, oldest, words.number.load(Acquire));
    });
}

#[test]
#[should_panic(expected = "an id below the bound runs")]
fn number_then_oldest_fails() {
    model(ends_one_and_moves_oldest, |words| {
        let number = words.number.load(Acquire);
        bounds_agree(words, words.oldest.load(Acquire), number);
    });
}

/// Ends an id and folds it unless a slot needs it.
fn ends_and_folds(words: &Words) {
    words.end(1, 2);
    let published = words.number.load(Relaxed);
    fence(Ordering::SeqCst);
    if words.slot.load(Acquire) >= published {
        words.folded.store(1, Release);
    }
}

/// A snapshot of this number says the same of id 1 twice.
fn stays(words: &Words, number: u64) {
    let runs = || words.folded.load(Acquire) == 0 && words.runs(1, number);
    let first = runs();
    assert!(first == runs(), "a value changed");
    assert!(runs() == (number < 2), "a value changed");
}

#[test]
fn bound_then_fence_then_number() {
    model(ends_and_folds, |words| {
        words.slot.store(words.number.load(Relaxed), Relaxed);
        fence(Ordering::SeqCst);
        stays(words, words.number.load(Acquire));
    });
}

#[test]
#[should_panic(expected = "a value changed")]
fn number_then_slot_fails() {
    model(ends_and_folds, |words| {
        let number = words.number.load(Acquire);
        words.slot.store(number, Release);
        fence(Ordering::SeqCst);
        stays(words, number);
    });
}

#[test]
#[should_panic(expected = "a value changed")]
fn registration_without_a_fence_fails() {
    model(ends_and_folds, |words| {
        words.slot.store(words.number.load(Relaxed), Relaxed);
        stays(words, words.number.load(Acquire));
    });
}

/// Marks the lagging slot, then ends an id beyond the mark and folds it.
fn marks_and_folds(words: &Words) {
    words.end(1, 2);
    // The reader was registered at number 1.
    words.mark.store(2, Release);
    words.end(2, 3);
    if words.mark.load(Relaxed) != 0 && words.slot.load(Acquire) < 3 {
        words.folded.store(1, Release);
    }
}

/// Id 2, which the writer folds under number 3, in a snapshot that was taken without registering anew.
fn covered(words: &Words, number: u64, xmax: u64) {
    let runs = 2 >= xmax || (words.folded.load(Acquire) == 0 && words.runs(2, number));
    assert!(runs == (number < 3), "a mark was missed");
}

#[test]
fn number_and_xmax_then_mark() {
    model(marks_and_folds, |words| {
        words.slot.store(1, Relaxed);
        let number = words.number.load(Acquire);
        let xmax = words.latest.load(Acquire) + 1;
        if words.mark.load(Acquire) == 0 {
            words.slot.store(number, Release);
            covered(words, number, xmax);
        }
    });
}

#[test]
#[should_panic(expected = "a mark was missed")]
fn mark_then_number_fails() {
    model(marks_and_folds, |words| {
        words.slot.store(1, Relaxed);
        if words.mark.load(Acquire) == 0 {
            let number = words.number.load(Acquire);
            let xmax = words.latest.load(Acquire) + 1;
            words.slot.store(number, Release);
            covered(words, number, xmax);
        }
    });
}

/// Looks at the slots after each of two ends, marks the one that lags, and folds what it does not need.
fn looks_twice(words: &Words) {
    words.end(1, 2);
    fence(Ordering::SeqCst);
    if words.slot.load(Acquire) < 2 {
        let _ = words.mark.compare_exchange(0, 2, Relaxed, Relaxed);
    }
    words.end(2, 3);
    fence(Ordering::SeqCst);
    if words.slot.load(Acquire) >= 3 || words.mark.load(Acquire) != 0 {
        words.folded.store(1, Release);
    }
}

fn registers(words: &Words, look_again: bool) {
    words.slot.store(1, Relaxed);
    words.mark.store(0, Relaxed);
    fence(Ordering::SeqCst);
    let number = words.number.load(Acquire);
    let xmax = words.latest.load(Acquire) + 1;
    if !look_again || words.mark.load(Relaxed) == 0 {
        words.slot.store(number, Release);
        covered(words, number, xmax);
    }
}

#[test]
fn registration_looks_at_the_mark_again() {
    model(looks_twice, |words| registers(words, true));
}

#[test]
#[should_panic(expected = "a mark was missed")]
fn registration_without_a_second_look_fails() {
    model(looks_twice, |words| registers(words, false));
}

/// The page that has the frame: its word stands in `oldest`, its entry in `entries[0]`. Page 1 is done, then page 2 has it.
fn gives_the_frame_away(words: &Words) {
    words.oldest.store(0, Release);
    words.entries[0].store(0, Release);
    words.oldest.store(2, Release);
    words.entries[0].store(7, Release);
}

/// Whether the id of page 1, which ended under number 1, runs at number 3.
fn frame_of_page_one(words: &Words, look_again: bool) {
    if words.oldest.load(Acquire) != 1 {
        return;
    }
    let ended = words.entries[0].load(Acquire);
    if look_again && words.oldest.load(Relaxed) != 1 {
        return;
    }
    // The entry is zero from the start here: what counts is that a later page's number is not taken for it.
    assert!(ended != 7, "a page was taken for another");
}

#[test]
fn word_then_entry_then_word() {
    model(gives_the_frame_away, |words| frame_of_page_one(words, true));
}

#[test]
#[should_panic(expected = "a page was taken for another")]
fn word_then_entry_fails() {
    model(gives_the_frame_away, |words| frame_of_page_one(words, false));
}
