//! Histories made by hand, one for each anomaly: the checker finds that one, and no other.

use crate::{
    checker::{Anomaly, anomalies, check},
    record::{Element, Fate, Key, Op, Transaction},
};

fn append(key: Key, element: Element) -> Op {
    Op::Append { key, element }
}

fn read(key: Key, list: &[Element]) -> Op {
    Op::Read { key, list: list.to_vec() }
}

/// From one moment to another.
fn lasting(began: u64, ended: u64, ops: &[Op]) -> Transaction {
    Transaction { began, ops: ops.to_vec(), fate: Fate::Committed, ended }
}

/// All at once: time says nothing.
fn beside(transactions: &[&[Op]]) -> Vec<Transaction> {
    let count = transactions.len() as u64;
    let places = 0_u64..;
    places.zip(transactions).map(|(place, ops)| lasting(place, count + place, ops)).collect()
}

/// One after another.
fn in_turn(transactions: &[&[Op]]) -> Vec<Transaction> {
    let places = 0_u64..;
    places.zip(transactions).map(|(place, ops)| lasting(2 * place, 2 * place + 1, ops)).collect()
}

#[track_caller]
fn has(history: &[Transaction], expected: &[Anomaly]) {
    let history = history.to_vec();
    let found: Vec<_> = anomalies(&history).into_iter().collect();
    assert_eq!(found, expected, "{:#?}", check(&history));
}

#[test]
fn nothing() {
    has(&[], &[]);
    has(
        &in_turn(&[
            &[append(1, 10), read(1, &[10]), append(2, 20)],
            &[read(1, &[10]), append(1, 11), read(2, &[20])],
            &[read(3, &[]), read(1, &[10, 11])],
        ]),
        &[],
    );
    has(&beside(&[&[append(1, 10)], &[read(1, &[])], &[read(1, &[10])]]), &[]);
}

#[test]
fn nothing_in_what_is_rolled_back_or_aborted_and_seen_by_nobody() {
    let undone = [
        append(1, 10),
        Op::Savepoint,
        append(1, 11),
        Op::Savepoint,
        append(1, 12),
        Op::Release,
        read(1, &[10, 11, 12]),
        Op::RollBack,
        read(1, &[10]),
        append(1, 13),
    ];
    let mut history = beside(&[&undone, &[read(1, &[10, 13])], &[append(1, 20)]]);
    history[2].fate = Fate::Aborted;
    has(&history, &[]);
}

#[test]
fn internal() {
    has(&beside(&[&[append(1, 10), read(1, &[])]]), &[Anomaly::Internal]);
    let not_repeatable = beside(&[&[append(1, 10)], &[read(1, &[]), read(1, &[10])]]);
    has(&not_repeatable, &[Anomaly::Internal]);
}

#[test]
fn garbage() {
    has(&beside(&[&[read(1, &[7])]]), &[Anomaly::Garbage]);
}

#[test]
fn duplicate() {
    has(&beside(&[&[append(1, 7)], &[read(1, &[7, 7])]]), &[Anomaly::Duplicate]);
}

#[test]
fn incompatible_order() {
    let history =
        beside(&[&[append(1, 7)], &[append(1, 8)], &[read(1, &[7])], &[read(1, &[8, 7])]]);
    has(&history, &[Anomaly::IncompatibleOrder]);
}

#[test]
fn g1a_aborted_read() {
    let mut history = beside(&[&[append(1, 7)], &[read(1, &[7])]]);
    history[0].fate = Fate::Aborted;
    has(&history, &[Anomaly::G1a]);
    let history =
        beside(&[&[Op::Savepoint, append(1, 7), Op::RollBack, append(1, 8)], &[read(1, &[7, 8])]]);
    has(&history, &[Anomaly::G1a]);
}

#[test]
fn g1b_intermediate_read() {
    // It saw the first of two, so it came both after the other one and before it.
    let history = beside(&[&[append(1, 7), append(1, 8)], &[read(1, &[7])], &[read(1, &[7, 8])]]);
    has(&history, &[Anomaly::G1b, Anomaly::GSingle]);
}

#[test]
fn lost_update() {
    let history =
        beside(&[&[read(1, &[]), append(1, 7)], &[read(1, &[]), append(1, 8)], &[read(1, &[8])]]);
    has(&history, &[Anomaly::LostUpdate, Anomaly::GSingle]);
}

#[test]
fn g0_write_cycle() {
    let history = beside(&[
        &[append(1, 10), append(2, 20)],
        &[append(1, 11), append(2, 21)],
        &[read(1, &[10, 11]), read(2, &[21, 20])],
    ]);
    has(&history, &[Anomaly::G0]);
}

#[test]
fn g1c_circular_information_flow() {
    let history = beside(&[&[append(1, 10), read(2, &[20])], &[append(2, 20), read(1, &[10])]]);
    has(&history, &[Anomaly::G1c]);
}

#[test]
fn g_single_read_skew() {
    let history = beside(&[&[append(1, 10), append(2, 20)], &[read(1, &[]), read(2, &[20])]]);
    has(&history, &[Anomaly::GSingle]);
}

#[test]
fn g_nonadjacent_long_fork() {
    let history = beside(&[
        &[append(1, 10)],
        &[append(2, 20)],
        &[read(1, &[10]), read(2, &[])],
        &[read(1, &[]), read(2, &[20])],
    ]);
    has(&history, &[Anomaly::GNonadjacent]);
}

#[test]
fn g2_item_write_skew() {
    let history = beside(&[&[read(1, &[]), append(2, 20)], &[read(2, &[]), append(1, 10)]]);
    has(&history, &[Anomaly::G2Item]);
    assert!(Anomaly::G2Item.is_permitted());
}

#[test]
fn time_of_versions() {
    let history = in_turn(&[&[append(1, 10)], &[append(1, 11)], &[read(1, &[11, 10])]]);
    has(&history, &[Anomaly::G0Realtime]);
}

#[test]
fn time_of_a_read_from_the_future() {
    has(&in_turn(&[&[read(1, &[10])], &[append(1, 10)]]), &[Anomaly::G1cRealtime]);
}

#[test]
fn time_of_a_stale_snapshot() {
    let history = in_turn(&[&[append(1, 10)], &[read(1, &[])], &[read(1, &[10])]]);
    has(&history, &[Anomaly::GSingleRealtime]);
}

#[test]
fn time_of_two_that_share_a_snapshot() {
    let append = lasting(0, 1, &[append(1, 10)]);
    let (stale, fresh) = (lasting(2, 3, &[read(1, &[])]), lasting(2, 4, &[read(1, &[10])]));
    has(&[append.clone(), stale.clone(), fresh.clone()], &[Anomaly::GSingleRealtime]);
    has(&[append, fresh, stale], &[Anomaly::GSingleRealtime]);
}

#[test]
fn time_of_an_append_that_nobody_ever_reads() {
    let history = in_turn(&[&[append(1, 10)], &[append(1, 11)], &[read(1, &[11])]]);
    has(&history, &[Anomaly::G0Realtime, Anomaly::GSingleRealtime]);
}

#[test]
fn time_of_a_long_fork() {
    let history = [
        lasting(0, 29, &[append(1, 10)]),
        lasting(1, 3, &[append(2, 20)]),
        lasting(2, 30, &[read(1, &[10]), read(2, &[])]),
        lasting(4, 5, &[read(1, &[])]),
    ];
    has(&history, &[Anomaly::GNonadjacentRealtime]);
}

#[test]
fn each_is_told_with_those_that_take_part() {
    let history = beside(&[&[append(1, 10), append(2, 20)], &[read(1, &[]), read(2, &[20])]]);
    let story = check(&history)[0].to_string();
    assert!(story.starts_with("GSingle: T0 ─Wr(2)─► T1 ─Rw(1)─► …\n"), "{story}");
    assert_eq!(story.lines().count(), 3, "{story}");
}
