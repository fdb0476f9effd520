//! Money moves between accounts while somebody adds them all up: the sum never changes.
//!
//! Every teller takes from one account and gives to another, again and again; where two of them meet at an account one gets a
//! conflict, and its transfer is begun once more. The auditor scans all accounts under one snapshot. Garbage is collected beside
//! them.
//!
//! ```sh
//! cargo run --release -p snapshot-kv --example bank
//! ```

use std::{
    error::Error,
    sync::atomic::{AtomicBool, AtomicU32, Ordering},
    thread,
};

use snapshot_api::{ManagerOptions, Off, SnapshotStrategy};
use snapshot_kv::Store;

// To swap the strategy is this line.
type Strategy = strategy_csn::CsnLog;
// type Strategy = strategy_baseline::BooleanArray;

type Failure = Box<dyn Error + Send + Sync>;
type Bank = Store<u64, i64, Strategy, Off>;

const ACCOUNTS: u64 = 50;
const EACH: i64 = 1_000;
const TELLERS: u64 = 4;
const TRANSFERS: u32 = 20_000;
const ATTEMPTS: u32 = 1_000;

fn main() -> Result<(), Failure> {
    let bank = Bank::new(&Default::default(), Off, ManagerOptions::new())?;
    bank.connect()?.run(1, |tx| (0..ACCOUNTS).try_for_each(|account| tx.put(&account, EACH)))?;
    println!(
        "{ACCOUNTS} accounts with {EACH} each, {TELLERS} tellers, {TRANSFERS} transfers each, over {}",
        bank.manager().strategy().facts().name
    );

    let open = AtomicU32::new(0);
    let closed = AtomicBool::new(false);
    let mut audits = Vec::new();
    let mut removed = 0;
    let retries = thread::scope(|scope| {
        let tellers: Vec<_> = (0..TELLERS)
            .map(|teller| {
                let (bank, open, closed) = (&bank, &open, &closed);
                open.fetch_add(1, Ordering::Relaxed);
                scope.spawn(move || {
                    let retries = move_money(bank, teller);
                    // Relaxed: a flag, and nothing that it stands for.
                    if open.fetch_sub(1, Ordering::Relaxed) == 1 {
                        closed.store(true, Ordering::Relaxed);
                    }
                    retries
                })
            })
            .collect();
        let collector = scope.spawn(|| {
            let mut removed = 0;
            while !closed.load(Ordering::Relaxed) {
                removed += bank.collect().versions;
                thread::yield_now();
            }
            removed
        });
        let mut auditor = bank.connect()?;
        while !closed.load(Ordering::Relaxed) {
            let accounts = auditor.begin().scan(..)?;
            audits.push(accounts.iter().map(|(_, money)| money).sum::<i64>());
        }
        removed = collector.join().expect("the collector does not panic");
        let mut retries = 0;
        for teller in tellers {
            retries += teller.join().expect("a teller does not panic")?;
        }
        Ok::<_, Failure>(retries)
    })?;

    let (least, most) = (audits.iter().copied().min(), audits.iter().copied().max());
    println!("transfers committed   {}", TELLERS * u64::from(TRANSFERS));
    println!("conflicts, retried    {retries}");
    println!("versions removed      {removed} while it ran");
    println!("audits                {}", audits.len());
    println!("least and most found  {} and {}", least.unwrap_or(0), most.unwrap_or(0));
    bank.collect();
    println!("versions left         {}", bank.census().versions);
    let total = ACCOUNTS as i64 * EACH;
    if audits.iter().any(|&sum| sum != total) {
        return Err(format!("an audit did not find {total}").into());
    }
    println!("every audit found {total}: each one saw each transfer as a whole, or not at all");
    Ok(())
}

/// How often a transfer had to be begun once more.
fn move_money(bank: &Bank, seed: u64) -> Result<u64, Failure> {
    let mut random = fastrand::Rng::with_seed(seed);
    let mut connection = bank.connect()?;
    let mut retries = 0;
    for _ in 0..TRANSFERS {
        let (from, to, money) =
            (random.u64(..ACCOUNTS), random.u64(..ACCOUNTS), random.i64(1..=100));
        let transfer = connection.run(ATTEMPTS, |tx| {
            let balance = tx.get(&from)?.unwrap_or(0);
            tx.put(&from, balance - money)?;
            // Somebody else may come in between.
            thread::yield_now();
            let balance = tx.get(&to)?.unwrap_or(0);
            tx.put(&to, balance + money)
        })?;
        retries += u64::from(transfer.retries);
    }
    Ok(retries)
}
