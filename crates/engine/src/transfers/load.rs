//! Going on with an import or a bulk put.

use std::collections::HashSet;
use std::sync::Arc;

use keyplan_store::{Batch, Snapshot, StoreExt};
use keyplan_value::json::{Limits, Tape};

use super::input::{Entry, Next, OpenInput, Source};
use super::parts::{self, Part};
use super::record::{Cursor, Failed, Status, Stored, Transfer, commit};
use super::reports::{Report, flush, line};
use super::{Kind, Work, bucket_failure, unreadable};
use crate::call::Timestamp;
use crate::catalog::{self, TableDefinition};
use crate::engine::Engine;
use crate::error::InternalError;
use crate::limits::{
    BULK_OBJECTS_MAX, IMPORT_OBJECTS_MAX, JOB_SLICE_BYTES_MAX, OBJECTS_LISTED_MAX, REPORT_FILE_BYTES_MAX,
};
use crate::write::{self, Applied, Mutation, Refusal, Rejection};

/// Bytes without a record that count as one entry of a step's budget.
const PASSED_OVER_BYTES_OF_ENTRY: usize = 4_096;

/// Goes on. Gives how much of the budget that took.
pub(super) fn advance(
    engine: &Engine,
    stored: Stored,
    now: Timestamp,
    entries: usize,
) -> Result<usize, InternalError> {
    let transfer = &stored.transfer;
    let request = engine
        .store
        .view(|snapshot| parts::part(snapshot, transfer.kind, &transfer.id, Part::Request, 0))??;
    let request = request.ok_or_else(unreadable)?;
    let tape = Tape::parse(&request, &Limits::default()).map_err(|_| unreadable())?;
    let source = Source::of(transfer.kind, tape.root())?;
    let load = Load { engine, stored: &stored, source, report: Report::of(transfer.kind, tape.root()), now };
    match transfer.status {
        Status::Cancelling => load.end(Status::Cancelled, None),
        _ if !transfer.has_begun => load.begin(),
        _ => load.slice(entries),
    }
}

struct Load<'l> {
    engine: &'l Engine,
    stored: &'l Stored,
    source: Source,
    report: Report,
    now: Timestamp,
}

/// What a slice read.
#[derive(Default)]
struct Slice {
    mutations: Vec<(u64, Arc<Mutation>)>,
    places: HashSet<Vec<u8>>,
    errors: Vec<(String, u64, String)>,
    /// The key of the object that the mutations are of.
    object: String,
    records: u64,
    spent: usize,
    bytes: u64,
    cursor: Cursor,
    is_over: bool,
}

/// What came of a commit.
enum Committed {
    Done,
    /// A mutation that can't be applied without undoing others: it is left out from then on.
    Without(Vec<usize>),
}

impl Load<'_> {
    fn transfer(&self) -> &Transfer {
        &self.stored.transfer
    }

    /// The first step: the bucket is looked at, and an import's table made.
    fn begin(&self) -> Result<usize, InternalError> {
        let (mut total, mut count, mut after) = (0_u64, 0_usize, None::<String>);
        let max = if self.transfer().kind == Kind::Import { IMPORT_OBJECTS_MAX } else { BULK_OBJECTS_MAX };
        loop {
            let Source { bucket, prefix, .. } = &self.source;
            let page = match self.engine.buckets.list(bucket, prefix, after.as_deref(), OBJECTS_LISTED_MAX) {
                Ok(page) => page,
                Err(error) => return self.end(Status::Failed, Some(bucket_failure(&error))),
            };
            total = page.iter().fold(total, |total, object| total.saturating_add(object.bytes));
            count += page.len();
            if count > max {
                let message = format!("The source has more than {max} objects");
                return self.end(Status::Failed, Some(Failed { code: "LimitExceeded".to_owned(), message }));
            }
            match page.last().filter(|_| page.len() == OBJECTS_LISTED_MAX) {
                Some(last) => after = Some(last.key.clone()),
                None => break,
            }
        }
        if let Some(error) = self.report.check(&self.engine.buckets, self.transfer()) {
            return self.end(Status::Failed, Some(bucket_failure(&error)));
        }
        let next = Transfer { has_begun: true, total_bytes: total, ..self.transfer().clone() };
        if self.transfer().kind == Kind::BulkPut {
            return commit(self.engine, self.stored, next, |_, _| Ok(()));
        }
        self.make_table(next)
    }

    /// Puts the import's table into the catalog, unless its name was taken since.
    fn make_table(&self, next: Transfer) -> Result<usize, InternalError> {
        let (stored, now) = (self.stored.clone(), self.now);
        let made = self.engine.store.transact(move |snapshot| -> Result<_, InternalError> {
            let mut batch = Batch::new();
            if !stored.is_current(snapshot)? {
                return Ok((batch, ()));
            }
            let mut next = next.clone();
            let definition =
                parts::part(snapshot, next.kind, &next.id, Part::Table, 0)?.ok_or_else(unreadable)?;
            if catalog::table_in(snapshot, &next.table)?.is_some() {
                let message = format!("Table already exists: {}", next.table);
                next.end(
                    Status::Failed,
                    Some(Failed { code: "ResourceInUseException".to_owned(), message }),
                    now,
                );
            } else {
                catalog::put(&mut batch, &catalog::decode(&definition)?)?;
            }
            next.put(&mut batch)?;
            Ok((batch, ()))
        })?;
        made?;
        self.engine.catalog.changed();
        Ok(1)
    }

    fn slice(&self, entries: usize) -> Result<usize, InternalError> {
        let transfer = self.transfer();
        if transfer.kind == Kind::BulkPut && transfer.kept_bytes >= REPORT_FILE_BYTES_MAX {
            return flush(self.engine, self.stored, &self.report, self.now);
        }
        let table = self.engine.store.view(|snapshot| catalog::table_in(snapshot, &transfer.table))??;
        let Some(table) = table.filter(|table| table.id == transfer.table_id).map(Arc::new) else {
            let message = format!("Table not found: {}", transfer.table);
            let failed = Failed { code: "TableNotFoundException".to_owned(), message };
            return self.end(Status::Failed, Some(failed));
        };
        let mut slice = Slice { cursor: transfer.cursor.clone(), ..Slice::default() };
        let open = match self.read(&table, &mut slice, entries) {
            Ok(open) => open,
            Err(failed) => return self.end(Status::Failed, Some(failed)),
        };
        let spent = slice.spent + slice.mutations.len() + slice.errors.len();
        if slice.is_over && slice.records == 0 {
            let clean = transfer.errors == 0;
            return match transfer.kind {
                Kind::Import if !clean => self.end(
                    Status::Failed,
                    Some(Failed {
                        code: "ItemValidationError".to_owned(),
                        message:
                            "Some of the items failed validation checks and were not imported. Please check \
                                  CloudWatch error logs for more details."
                                .to_owned(),
                    }),
                ),
                Kind::BulkPut if !clean => self.end(Status::CompletedWithErrors, None),
                _ => self.end(Status::Completed, None),
            };
        }
        while let Committed::Without(places) = self.commit(&table, &slice)? {
            let error = "Collection size exceeded.".to_owned();
            for at in places.into_iter().rev() {
                let (index, _) = slice.mutations.remove(at);
                slice.errors.push((slice.object.clone(), index, error.clone()));
            }
        }
        if let Some(open) = open {
            self.engine.transfers.keep(Work::Input(open));
        }
        Ok(spent)
    }

    /// Reads records until there are enough for a slice. Gives the object that is still open.
    fn read(
        &self,
        table: &Arc<TableDefinition>,
        slice: &mut Slice,
        entries: usize,
    ) -> Result<Option<Box<OpenInput>>, Failed> {
        let transfer = self.transfer();
        let held = match self.engine.transfers.take() {
            Some(Work::Input(open)) => Some(open),
            _ => None,
        };
        // What was held counts only where it stands as the record does.
        let mut open = held.filter(|open| {
            open.kind == transfer.kind && open.id == transfer.id && open.cursor() == transfer.cursor
        });
        loop {
            let mut input = match open.take() {
                Some(input) => input,
                None => {
                    if slice.spent >= entries {
                        return Ok(None);
                    }
                    if !slice.cursor.is_within && !self.next_object(slice)? {
                        slice.is_over = true;
                        return Ok(None);
                    }
                    let place = (transfer.kind, transfer.id.as_str());
                    match OpenInput::open(place, &self.source, &self.engine.buckets, &slice.cursor) {
                        Ok(input) => Box::new(input),
                        Err(next) => {
                            self.object_ends(slice, next)?;
                            continue;
                        }
                    }
                }
            };
            // A slice's mutations are of one object, so that reports need to name but one.
            if slice.object != input.object && slice.records > 0 {
                return Ok(Some(input));
            }
            slice.object.clone_from(&input.object);
            loop {
                let before = input.position();
                if slice.mutations.len() + slice.errors.len() + slice.spent >= entries
                    || slice.bytes >= JOB_SLICE_BYTES_MAX as u64
                {
                    slice.cursor = input.cursor();
                    return Ok(Some(input));
                }
                let next = input.next(table, &self.engine.expressions);
                let read = input.position().offset.saturating_sub(before.offset);
                match next {
                    Next::Record { index, entry } => {
                        match entry.and_then(|entry| self.mutation(table, entry)) {
                            Ok((mutation, entry)) => {
                                // No item may be in two mutations of one commit, and their order counts.
                                if !slice.places.insert(mutation.key.bytes().to_vec()) {
                                    input.give_back(before, index, entry);
                                    slice.cursor = input.cursor();
                                    return Ok(Some(input));
                                }
                                slice.bytes += read;
                                slice.records += 1;
                                slice.mutations.push((index, Arc::new(mutation)));
                            }
                            Err(what) => {
                                slice.bytes += read;
                                slice.records += 1;
                                slice.errors.push((slice.object.clone(), index, what));
                            }
                        }
                    }
                    Next::Nothing { passed_over } => {
                        slice.bytes += read;
                        // Bytes that are passed over are work, too.
                        let read = usize::try_from(read).unwrap_or(usize::MAX);
                        slice.spent += 1 + read.saturating_add(passed_over) / PASSED_OVER_BYTES_OF_ENTRY;
                    }
                    over => {
                        self.object_ends(slice, over)?;
                        break;
                    }
                }
            }
            if slice.records > 0 {
                return Ok(None);
            }
        }
    }

    /// The next object is begun, if there is one.
    fn next_object(&self, slice: &mut Slice) -> Result<bool, Failed> {
        let after = Some(slice.cursor.object.as_str()).filter(|key| !key.is_empty());
        let Source { bucket, prefix, .. } = &self.source;
        let list = || self.engine.buckets.list(bucket, prefix, after, OBJECTS_LISTED_MAX);
        let next = self.engine.transfers.object_after(&self.transfer().id, &slice.cursor.object, list);
        let Some(object) = next.map_err(|error| bucket_failure(&error))? else { return Ok(false) };
        slice.cursor = Cursor { object, is_within: true, ..Cursor::default() };
        Ok(true)
    }

    /// An object is over, whether it came to its end or not.
    fn object_ends(&self, slice: &mut Slice, next: Next) -> Result<(), Failed> {
        match next {
            Next::Bucket(error) => return Err(bucket_failure(&error)),
            Next::Damaged { index, what } => {
                slice.records += 1;
                slice.object.clone_from(&slice.cursor.object);
                slice.errors.push((slice.cursor.object.clone(), index, what));
            }
            Next::End | Next::Nothing { .. } | Next::Record { .. } => {}
        }
        slice.spent += 1;
        slice.cursor = Cursor { object: slice.cursor.object.clone(), ..Cursor::default() };
        Ok(())
    }

    fn mutation(&self, table: &Arc<TableDefinition>, entry: Entry) -> Result<(Mutation, Entry), String> {
        let condition = entry.condition.clone().filter(|_| self.transfer().kind == Kind::BulkPut);
        let mutation = Mutation::put(table, &entry.item, condition);
        mutation.map(|mutation| (mutation, entry)).map_err(|fault| fault.to_string())
    }

    fn commit(&self, table: &Arc<TableDefinition>, slice: &Slice) -> Result<Committed, InternalError> {
        let transfer = self.transfer();
        let next = Transfer {
            processed: transfer.processed + slice.records,
            errors: transfer.errors + slice.errors.len() as u64,
            bytes: transfer.bytes + slice.bytes,
            cursor: slice.cursor.clone(),
            ..transfer.clone()
        };
        let mut errors = Vec::new();
        for (object, index, what) in &slice.errors {
            errors.push(line(transfer, &self.source.bucket, object, *index, what));
        }
        let (stored, report, now) = (self.stored.clone(), self.report.clone(), self.now);
        let (bucket, object) = (self.source.bucket.clone(), slice.object.clone());
        let mutations: Arc<[(u64, Arc<Mutation>)]> = Arc::from(slice.mutations.clone());
        let name = &table.name;
        let transaction = move |snapshot: &dyn Snapshot| -> Result<(Batch, ()), Refusal> {
            let mut batch = Batch::new();
            if !stored.is_current(snapshot)? {
                return Ok((batch, ()));
            }
            let all = mutations.iter().map(|(_, mutation)| Ok(&**mutation));
            let applied = write::apply_all(snapshot, &mut batch, now, all)?;
            if applied.iter().any(|applied| matches!(applied, Err(Rejection::CollectionTooLarge))) {
                return Err(Refusal::Rejected(applied));
            }
            let (mut next, mut errors) = (next.clone(), errors.clone());
            let mut refused = Vec::new();
            for ((index, mutation), applied) in mutations.iter().zip(&applied) {
                match applied {
                    Ok(_) => next.written += 1,
                    Err(Rejection::ConditionFailed { item }) => {
                        next.refused += 1;
                        refused.push(report.refused(
                            &next,
                            (&bucket, &object, *index),
                            mutation,
                            item.as_ref(),
                        ));
                    }
                    Err(Rejection::Fault(fault)) => {
                        next.errors += 1;
                        errors.push(line(&next, &bucket, &object, *index, &fault.to_string()));
                    }
                    Err(Rejection::CollectionTooLarge) => {}
                }
            }
            report.keep(&mut batch, &mut next, &errors, &refused);
            next.put(&mut batch)?;
            Ok((batch, ()))
        };
        match self.engine.undo.beside(&*self.engine.store, name, transaction)? {
            // Where the table was changed by another request, the next step finds it as it is.
            Ok(()) | Err(Refusal::TableChanged | Refusal::Throttled(_)) => Ok(Committed::Done),
            Err(Refusal::Internal(error)) => Err(error),
            Err(Refusal::Rejected(applied)) => Ok(Committed::Without(too_large(&applied))),
        }
    }

    /// Ends the transfer: reports are written, and an import's table can be used.
    fn end(&self, status: Status, failure: Option<Failed>) -> Result<usize, InternalError> {
        let (mut status, mut failure) = (status, failure);
        let mut next = self.transfer().clone();
        if next.has_begun
            && let Err(error) = self.report.finish(self.engine, &mut next, self.now, status)?
        {
            (status, failure) = (Status::Failed, Some(bucket_failure(&error)));
        }
        next.end(status, failure, self.now);
        let is_import = next.kind == Kind::Import;
        let (table, id) = (next.table.clone(), next.table_id);
        let report = self.report.clone();
        let ended = next.clone();
        let spent = commit(self.engine, self.stored, next, move |snapshot, batch| {
            report.forget(batch, &ended);
            let made = catalog::table_in(snapshot, &table)?.filter(|made| made.id == id && made.importing);
            if let Some(mut made) = made.filter(|_| is_import) {
                made.importing = false;
                made.revision = made.next_revision()?;
                catalog::put(batch, &made)?;
            }
            Ok(())
        })?;
        self.engine.catalog.changed();
        Ok(spent)
    }
}

fn too_large(applied: &[Applied]) -> Vec<usize> {
    let is = |applied: &Applied| matches!(applied, Err(Rejection::CollectionTooLarge));
    applied.iter().enumerate().filter(|(_, applied)| is(applied)).map(|(at, _)| at).collect()
}
