//! Two doctors are on call, and one of them has to be. Both look, both see two, both leave.
//!
//! Snapshot isolation permits it: neither writes what the other one writes, and each read what was true when it began. This is
//! *write skew* (Berenson and others, "A Critique of ANSI SQL Isolation Levels", SIGMOD 1995). The remedy is a conflict where there was none:
//! read for update whatever the decision hangs on.
//!
//! ```sh
//! cargo run --release -p snapshot-kv --example write_skew
//! ```

use snapshot_api::{ManagerOptions, Off};
use snapshot_kv::{Connection, Error, Store, Tx};
use strategy_csn::CsnLog;

type Doctor = &'static str;
type Rota = Store<Doctor, bool, CsnLog, Off>;
type Shift<'c> = Tx<'c, Doctor, bool, CsnLog, Off>;
type Outcome = Result<(), Error<Doctor>>;

const DOCTORS: [Doctor; 2] = ["Ada", "Bo"];

fn main() -> Result<(), Box<dyn std::error::Error>> {
    println!("Under snapshot isolation, as it is:");
    two_go_home(|shift, doctor| {
        let mut on_call = 0;
        for other in DOCTORS {
            on_call += usize::from(shift.get(&other)? == Some(true));
        }
        go_if(on_call >= 2, shift, doctor)
    })?;
    println!("\nThe same, and each reads for update what the decision hangs on:");
    two_go_home(|shift, doctor| {
        let mut on_call = 0;
        for other in DOCTORS {
            on_call += usize::from(shift.get_for_update(&other)? == Some(true));
        }
        go_if(on_call >= 2, shift, doctor)
    })
}

fn go_if(others_stay: bool, shift: &mut Shift<'_>, doctor: Doctor) -> Outcome {
    if others_stay {
        println!("  {doctor} sees two on call and goes");
        shift.put(&doctor, false)
    } else {
        println!("  {doctor} is the only one and stays");
        Ok(())
    }
}

/// Both are open at once; then they commit, or are begun once more.
fn two_go_home(
    leave: impl Fn(&mut Shift<'_>, Doctor) -> Outcome,
) -> Result<(), Box<dyn std::error::Error>> {
    let rota = Rota::new(&Default::default(), Off, ManagerOptions::new())?;
    rota.connect()?.run(1, |tx| DOCTORS.iter().try_for_each(|doctor| tx.put(doctor, true)))?;
    let (mut ada, mut bo): (Connection<_, _, _, _>, _) = (rota.connect()?, rota.connect()?);

    let (mut first, mut second) = (ada.begin(), bo.begin());
    leave(&mut first, DOCTORS[0])?;
    let beside = leave(&mut second, DOCTORS[1]);
    first.commit();
    match beside {
        Ok(()) => {
            second.commit();
        }
        Err(conflict) => {
            println!("  {}: {conflict}; begins once more", DOCTORS[1]);
            drop(second);
            bo.run(1, |tx| leave(tx, DOCTORS[1]))?;
        }
    }
    let on_call = ada.begin().scan(..)?.into_iter().filter(|(_, on_call)| *on_call).count();
    println!("  on call at the end: {on_call}");
    Ok(())
}
