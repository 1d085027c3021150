//! Whether a stream has a record for each write, in the order of the writes.

use std::collections::HashMap;

use crate::history::{Action, Cell, Event, KEYS, State};

/// A record of the stream.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Record {
    /// The group of the item.
    pub group: usize,
    /// Which of its items.
    pub key: usize,
    /// The item before.
    pub before: Option<Cell>,
    /// The item after.
    pub after: Option<Cell>,
}

/// What the records of a run must fit.
#[derive(Debug, Clone, Copy)]
pub struct Run<'r> {
    /// The groups before it.
    pub initial: &'r [State],
    /// The groups after it.
    pub last: &'r [State],
    /// What was done, each with its group.
    pub events: &'r [(usize, Event)],
}

/// Holds the records that a run added against it.
///
/// # Errors
/// When one is missing, too many or out of order; in words.
pub fn check(run: Run<'_>, records: &[Record]) -> Result<(), String> {
    let left = follow(run.initial, records)?;
    if left != run.last {
        let differs = left.iter().zip(run.last).position(|(left, last)| left != last).unwrap_or_default();
        return Err(format!(
            "group {differs} is {:?}, and its records leave {:?}",
            run.last[differs], left[differs]
        ));
    }
    let mut writes: HashMap<u64, Vec<(usize, &Event)>> = HashMap::new();
    for (group, event) in run.events {
        writes.entry(event.number).or_default().push((*group, event));
    }
    let mut places: HashMap<u64, Vec<usize>> = HashMap::new();
    let mut latest_sent = None;
    for (at, record) in records.iter().enumerate() {
        // A deletion leaves no number.
        let Some(after) = record.after else { continue };
        let number = after.written_by;
        let Some(writes) = writes.get(&number) else {
            return Err(format!("{record:?} is of no request that was sent"));
        };
        let wrote = |(group, event): &&(usize, &Event)| {
            *group == record.group && event.keys_written().contains(&record.key)
        };
        let Some((_, event)) = writes.iter().find(wrote) else {
            return Err(format!("{record:?} is not what request {number} wrote"));
        };
        if let (Some(answered), Some((sent, other))) = (event.answered, latest_sent)
            && answered < sent
        {
            return Err(format!(
                "{record:?} comes behind one of {other}, which was sent when {event} was over"
            ));
        }
        if latest_sent.is_none_or(|(sent, _)| event.sent > sent) {
            latest_sent = Some((event.sent, *event));
        }
        places.entry(number).or_default().push(at);
    }
    for (number, writes) in &writes {
        for (_, event) in writes.iter().filter(|(_, event)| !matches!(event.action, Action::Delete { .. })) {
            whole(event, writes.len(), places.get(number).map_or(&[], Vec::as_slice))?;
        }
    }
    Ok(())
}

/// A request has as many records as it wrote items, and none lies between those of a transaction; one that wasn't
/// answered may have none.
fn whole(event: &Event, batch: usize, places: &[usize]) -> Result<(), String> {
    let expected = event.keys_written().len() * batch;
    let is_known = event.answered.is_some();
    let may_be_none = !is_known || expected == 0;
    if places.len() == expected || (places.is_empty() && may_be_none) || (!is_known && batch > 1) {
        let is_together = places.windows(2).all(|pair| pair[0] + 1 == pair[1]);
        if batch > 1 || is_together {
            return Ok(());
        }
        return Err(format!("others lie between the records of {event}"));
    }
    Err(format!("{event} has {} records, and wrote {expected} items", places.len()))
}

/// Goes through the records from a state: each item before is what the last record of it left. Gives what they leave.
fn follow(initial: &[State], records: &[Record]) -> Result<Vec<State>, String> {
    let mut states = initial.to_vec();
    for record in records {
        let place = states.get_mut(record.group).and_then(|state| state.get_mut(record.key));
        let Some(cell) = place else { return Err(format!("{record:?} is of no item")) };
        if *cell != record.before || record.before == record.after {
            return Err(format!("{record:?} follows {cell:?}"));
        }
        *cell = record.after;
    }
    Ok(states)
}

/// Groups without items.
pub fn nothing(groups: usize) -> Vec<State> {
    vec![[None; KEYS]; groups]
}

#[cfg(test)]
mod tests {
    use super::*;

    fn cell(written_by: u64, count: i64) -> Option<Cell> {
        Some(Cell { written_by, count })
    }

    fn event(number: u64, sent: u64, answered: Option<u64>, action: Action) -> (usize, Event) {
        (0, Event { number, sent, answered, action })
    }

    fn record(key: usize, before: Option<Cell>, after: Option<Cell>) -> Record {
        Record { group: 0, key, before, after }
    }

    fn checked(events: &[(usize, Event)], records: &[Record]) -> Result<(), String> {
        let last = follow(&nothing(1), records)?;
        check(Run { initial: &nothing(1), last: &last, events }, records)
    }

    fn all(number: u64) -> Vec<Record> {
        (0..KEYS).map(|key| record(key, None, cell(number, 0))).collect()
    }

    #[test]
    fn each_write_has_its_records_in_order() {
        let put = |number, sent, answered| event(number, sent, answered, Action::Put { key: 0 });
        let (one, two) = (put(1, 0, Some(1)), put(2, 2, Some(3)));
        let records = [record(0, None, cell(1, 0)), record(0, cell(1, 0), cell(2, 0))];
        assert_eq!(checked(&[one, two], &records), Ok(()));
        assert_eq!(checked(&[one, put(2, 2, None)], &records[..1]), Ok(()), "it came to nothing");
        assert!(checked(&[one, two], &records[..1]).expect_err("one is missing").contains("0 records"));
        assert!(checked(&[one], &records).expect_err("nobody wrote it").contains("no request"));
        let swapped = [record(0, None, cell(2, 0)), record(0, cell(2, 0), cell(1, 0))];
        assert!(checked(&[one, two], &swapped).expect_err("out of order").contains("was over"));
        let twice = [records[0], records[1], record(0, cell(2, 0), cell(1, 0))];
        assert!(checked(&[put(1, 0, Some(9)), two], &twice).expect_err("twice").contains("2 records"));
    }

    #[test]
    fn images_follow_each_other_and_leave_what_is_there() {
        let put = event(1, 0, Some(1), Action::Put { key: 0 });
        let gone = event(2, 2, Some(3), Action::Delete { key: 0 });
        let records = [record(0, None, cell(1, 0)), record(0, cell(1, 0), None)];
        assert_eq!(checked(&[put, gone], &records), Ok(()));
        let broken = [records[0], record(0, cell(7, 0), None)];
        assert!(checked(&[put, gone], &broken).expect_err("another image").contains("follows"));
        let run = Run { initial: &nothing(1), last: &nothing(1), events: &[put] };
        assert!(check(run, &records[..1]).expect_err("it isn't there").contains("its records leave"));
    }

    #[test]
    fn a_transaction_has_all_its_records_together_or_none() {
        let (put_all, lost) = (event(1, 0, Some(9), Action::PutAll), event(1, 0, None, Action::PutAll));
        let records = all(1);
        assert_eq!(checked(&[put_all], &records), Ok(()));
        assert_eq!(checked(&[lost], &records), Ok(()));
        assert_eq!(checked(&[lost], &[]), Ok(()));
        for events in [[put_all], [lost]] {
            checked(&events, &records[..2]).expect_err("half a transaction");
        }
        let other = event(2, 0, Some(9), Action::Put { key: 0 });
        let parted = [records[0], record(0, cell(1, 0), cell(2, 0)), records[1], records[2]];
        assert!(checked(&[put_all, other], &parted).expect_err("parted").contains("others lie between"));
    }

    #[test]
    fn what_was_refused_leaves_no_record() {
        let refused = event(1, 0, Some(1), Action::Swap { key: 0, expected: Some(5), answer: Some(false) });
        assert_eq!(checked(&[refused], &[]), Ok(()));
        checked(&[refused], &[record(0, None, cell(1, 0))]).expect_err("it was refused");
    }
}
