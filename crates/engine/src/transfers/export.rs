//! Going on with an export.

use keyplan_formats::{ion, md5, pack};
use keyplan_store::StoreExt;
use keyplan_value::json::{Limits, Node, Tape, Writer};
use keyplan_value::{AttributeValue, Item, ItemRef, base64};
use twox_hash::XxHash3_128;

use super::manifest;
use super::parts::{self, Part};
use super::record::{Failed, Status, Stored, Transfer, commit};
use super::{Filter, Kind, Work, bucket_failure, unreadable};
use crate::buckets::BucketError;
use crate::call::Timestamp;
use crate::catalog::{self, KeySchema, TableDefinition};
use crate::engine::Engine;
use crate::error::InternalError;
use crate::history;
use crate::journal::Record;
use crate::limits::EXPORT_FILE_BYTES;
use crate::validate::{present, string, timestamp};

/// What an export writes, as its request says it.
#[derive(Debug)]
pub(crate) struct Export {
    pub(super) bucket: String,
    /// What comes before all keys.
    pub(super) prefix: Option<String>,
    pub(super) is_ion: bool,
    pub(super) incremental: Option<Incremental>,
}

/// The window of an incremental export, and what it shows of an item.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Incremental {
    pub(crate) from: Timestamp,
    pub(crate) to: Timestamp,
    pub(crate) shows_old: bool,
}

/// The lines of a file that isn't full yet.
pub(super) struct OpenFile {
    id: String,
    /// The place behind which the file begins.
    from: Vec<u8>,
    /// The place of the last item in the file.
    place: Vec<u8>,
    lines: Vec<u8>,
    items: u64,
    processed: u64,
    bytes: u64,
}

impl Export {
    pub(super) fn of(request: Node<'_, '_>, transfer: &Transfer) -> Export {
        let is_incremental = string(request, "ExportType").is_some_and(|word| word == "INCREMENTAL_EXPORT");
        let window = present(request, "IncrementalExportSpecification").filter(|_| is_incremental);
        Export {
            bucket: string(request, "S3Bucket").unwrap_or_default().into_owned(),
            prefix: string(request, "S3Prefix").map(|prefix| prefix.into_owned()),
            is_ion: string(request, "ExportFormat").is_some_and(|word| word == "ION"),
            incremental: window.map(|window| Incremental::of(window, transfer.started)),
        }
    }

    /// A key below the folder of all exports.
    pub(super) fn key(&self, name: &str) -> String {
        let prefix = self.prefix.as_deref().unwrap_or_default().trim_end_matches('/');
        [prefix, if prefix.is_empty() { "" } else { "/" }, "AWSDynamoDB/", name].concat()
    }

    /// The key of a file of items. Exports of changes share a folder, as the service has it.
    fn data_key(&self, transfer: &Transfer) -> String {
        let name = file_name(&transfer.id, transfer.files);
        let ending = if self.is_ion { ".ion.gz" } else { ".json.gz" };
        let folder = if self.incremental.is_some() { "" } else { &*transfer.id };
        let slash = if folder.is_empty() { "" } else { "/" };
        self.key(&[folder, slash, "data/", &name, ending].concat())
    }
}

impl Incremental {
    /// The window that an IncrementalExportSpecification names; it ends now unless it says when.
    pub(crate) fn of(window: Node<'_, '_>, now: Timestamp) -> Incremental {
        let view = string(window, "ExportViewType");
        Incremental {
            from: timestamp(window, "ExportFromTime").unwrap_or_default(),
            to: timestamp(window, "ExportToTime").unwrap_or(now),
            shows_old: view.is_none_or(|view| view == "NEW_AND_OLD_IMAGES"),
        }
    }
}

/// A name of letters and digits that no other file of any export has.
fn file_name(id: &str, number: u64) -> String {
    const LETTERS: &[u8; 32] = b"abcdefghijklmnopqrstuvwxyz234567";
    let mut bits = XxHash3_128::oneshot(&[id.as_bytes(), &number.to_be_bytes()].concat());
    let mut name = String::with_capacity(26);
    for _ in 0..26 {
        name.extend(LETTERS.get((bits & 31) as usize).map(|letter| char::from(*letter)));
        bits >>= 5;
    }
    name
}

/// Goes on. Gives how much of the budget that took.
pub(super) fn advance(
    engine: &Engine,
    stored: Stored,
    now: Timestamp,
    entries: usize,
) -> Result<usize, InternalError> {
    let transfer = &stored.transfer;
    let (request, table, copying) = engine.store.view(|snapshot| -> Result<_, InternalError> {
        let part = |part| parts::part(snapshot, Kind::Export, &transfer.id, part, 0);
        let copying = match transfer.space {
            Some(space) => history::is_copying(snapshot, space)?,
            None => false,
        };
        Ok((part(Part::Request)?, part(Part::Table)?, copying))
    })??;
    if copying {
        // That work is a job of its own, and comes first.
        return Ok(entries);
    }
    let (request, table) = request.zip(table).ok_or_else(unreadable)?;
    let tape = Tape::parse(&request, &Limits::default()).map_err(|_| unreadable())?;
    let request = tape.root();
    let export = Export::of(request, transfer);
    let table = catalog::decode(&table)?;
    let filter = super::filter::of_request(&engine.expressions, request).ok_or_else(unreadable)?;
    let step = Step { engine, stored: &stored, export, table, filter, now };
    if transfer.has_begun { step.slice(entries) } else { step.begin() }
}

struct Step<'s> {
    engine: &'s Engine,
    stored: &'s Stored,
    export: Export,
    table: TableDefinition,
    filter: Filter,
    now: Timestamp,
}

impl Step<'_> {
    fn transfer(&self) -> &Transfer {
        &self.stored.transfer
    }

    fn put(&self, key: &str, bytes: &[u8]) -> Result<(), BucketError> {
        self.engine.buckets.put(&self.export.bucket, key, bytes)
    }

    /// The first step: an empty object shows that the bucket can be written.
    fn begin(&self) -> Result<usize, InternalError> {
        let key = self.export.key(&[&self.transfer().id, "/_started"].concat());
        match self.put(&key, b"") {
            Ok(()) => {
                let next = Transfer { has_begun: true, ..self.transfer().clone() };
                commit(self.engine, self.stored, next, |_, _| Ok(()))
            }
            Err(error) => self.end(Status::Failed, Some(bucket_failure(&error)), self.transfer().clone()),
        }
    }

    fn slice(&self, entries: usize) -> Result<usize, InternalError> {
        let transfer = self.transfer();
        let held = match self.engine.transfers.take() {
            Some(Work::File(file)) => Some(file),
            _ => None,
        };
        let fresh = || OpenFile {
            id: transfer.id.clone(),
            from: transfer.place.clone(),
            place: transfer.place.clone(),
            lines: Vec::new(),
            items: 0,
            processed: 0,
            bytes: 0,
        };
        // A file that was begun goes on if it began where the record stands: nothing was committed since.
        let mut file = held.filter(|file| file.id == transfer.id && file.from == transfer.place);
        let mut file = file.take().unwrap_or_else(fresh);
        let (looked_at, is_last) = self.fill(&mut file, entries)?;
        if !is_last && file.lines.len() < EXPORT_FILE_BYTES {
            self.engine.transfers.keep(Work::File(file));
            return Ok(looked_at);
        }
        // At least one file is written, as the service does for an empty partition.
        let mut next = transfer.clone();
        let mut line = None;
        if file.items > 0 || (is_last && next.files == 0) {
            match self.write(&file, &next)? {
                Ok(written) => line = Some(written),
                Err(error) => return self.end(Status::Failed, Some(bucket_failure(&error)), next),
            }
            next.files += 1;
        }
        next.place.clone_from(&file.place);
        next.written += file.items;
        next.processed += file.processed;
        next.bytes += file.bytes;
        if is_last {
            return self.finish(next, line);
        }
        let (id, number) = (next.id.clone(), next.files);
        commit(self.engine, self.stored, next, move |_, batch| {
            if let Some(line) = &line {
                parts::put_part(batch, (Kind::Export, &id), Part::Files, number, line.clone());
            }
            Ok(())
        })?;
        Ok(looked_at)
    }

    /// Adds the next items to a file. Gives how many were looked at, and whether they were the last.
    fn fill(&self, file: &mut OpenFile, entries: usize) -> Result<(usize, bool), InternalError> {
        let Some(space) = self.transfer().space else { return Ok((0, true)) };
        let schema = &self.table.key_schema;
        if let Some(incremental) = self.export.incremental {
            let page = self
                .engine
                .store
                .view(|snapshot| history::changes(snapshot, space, &file.place, entries))??;
            for record in &page.entries {
                self.add_change(file, schema, record, incremental.shows_old);
            }
            let is_last = page.next.is_none();
            file.place = page.next.unwrap_or_else(|| file.place.clone());
            return Ok((page.entries.len(), is_last));
        }
        let page =
            self.engine.store.view(|snapshot| history::items(snapshot, space, &file.place, entries))??;
        for (_, item) in &page.entries {
            self.add_item(file, item);
        }
        let is_last = page.next.is_none();
        file.place = page.next.unwrap_or_else(|| file.place.clone());
        Ok((page.entries.len(), is_last))
    }

    fn add_item(&self, file: &mut OpenFile, item: &Item) {
        file.processed += 1;
        file.bytes += item.as_ref().size();
        if !self.filter.matches(item) {
            return;
        }
        file.items += 1;
        let out = &mut file.lines;
        self.begin_line(out, "Item");
        self.filter.projected(item.as_ref(), &mut |item| self.write_item(out, item));
        self.end_line(out);
    }

    fn add_change(&self, file: &mut OpenFile, schema: &KeySchema, record: &Record, shows_old: bool) {
        let Record { before, after, time, .. } = record;
        let size = |item: &Option<Item>| item.as_ref().map_or(0, |item| item.as_ref().size());
        file.processed += 1;
        file.bytes += size(before) + size(after);
        // A deleted item is looked at as it was.
        let Some(item) = after.as_ref().or(before.as_ref()).filter(|item| self.filter.matches(item)) else {
            return;
        };
        file.items += 1;
        let key = schema.attributes().filter_map(|attribute| {
            let value = item.get(&attribute.name)?;
            Some((attribute.name.clone(), value.to_owned()))
        });
        let key = Item::from_attributes(key);
        let written = Item::from_attributes([("WriteTimestampMicros", AttributeValue::from(time.0))]);
        let out = &mut file.lines;
        out.extend(if self.export.is_ion { &b"$ion_1_0 {Record:{"[..] } else { b"{" });
        let mut is_first = true;
        let mut part = |name: &str, item: ItemRef<'_>| {
            if !std::mem::take(&mut is_first) {
                out.push(b',');
            }
            self.name(out, name);
            self.write_item(out, item);
        };
        for (name, item) in [("Metadata", &written), ("Keys", &key)] {
            if let Ok(item) = item {
                part(name, item.as_ref());
            }
        }
        if let Some(item) = before.as_ref().filter(|_| shows_old) {
            self.filter.projected(item.as_ref(), &mut |item| part("OldImage", item));
        }
        if let Some(item) = after {
            self.filter.projected(item.as_ref(), &mut |item| part("NewImage", item));
        }
        out.extend(if self.export.is_ion { &b"}}\n"[..] } else { b"}\n" });
    }

    fn begin_line(&self, out: &mut Vec<u8>, name: &str) {
        out.extend(if self.export.is_ion { &b"$ion_1_0 {"[..] } else { b"{" });
        self.name(out, name);
    }

    fn name(&self, out: &mut Vec<u8>, name: &str) {
        let mark: &[u8] = if self.export.is_ion { b"" } else { b"\"" };
        out.extend([mark, name.as_bytes(), mark, b":"].concat());
    }

    fn write_item(&self, out: &mut Vec<u8>, item: ItemRef<'_>) {
        if self.export.is_ion { ion::write_item(item, out) } else { item.write_json(out) }
    }

    fn end_line(&self, out: &mut Vec<u8>) {
        out.extend(b"}\n");
    }

    /// Writes a file, and gives the manifest's line about it.
    fn write(
        &self,
        file: &OpenFile,
        transfer: &Transfer,
    ) -> Result<Result<Vec<u8>, BucketError>, InternalError> {
        // Compressing into memory doesn't fail.
        let packed = pack(&file.lines).unwrap_or_default();
        let key = self.export.data_key(transfer);
        Ok(self.put(&key, &packed).map(|()| manifest::file_line(file.items, &md5(&packed), &key)))
    }

    /// Writes the manifests, and ends the export.
    fn finish(&self, mut next: Transfer, line: Option<Vec<u8>>) -> Result<usize, InternalError> {
        let mut files = self.engine.store.view(|snapshot| parts::joined(snapshot, &next, Part::Files))??;
        files.extend(line.unwrap_or_default());
        next.end(Status::Completed, None, self.now);
        let summary = manifest::summary(&next, &self.export);
        for (name, bytes) in [("manifest-files", &files), ("manifest-summary", &summary)] {
            let key = |ending: &str| self.export.key(&[&next.id, "/", name, ending].concat());
            let sum = base64::text(&md5(bytes));
            let put = self.put(&key(".json"), bytes).and_then(|()| self.put(&key(".md5"), sum.as_bytes()));
            if let Err(error) = put {
                return self.end(Status::Failed, Some(bucket_failure(&error)), next);
            }
        }
        self.end(Status::Completed, None, next)
    }

    fn end(
        &self,
        status: Status,
        failure: Option<Failed>,
        mut next: Transfer,
    ) -> Result<usize, InternalError> {
        let space = next.space.take();
        next.end(status, failure, self.now);
        let ended = next.clone();
        let spent = commit(self.engine, self.stored, next, move |snapshot, batch| {
            parts::remove(batch, &ended, Part::Files);
            match space {
                Some(space) => history::discard(snapshot, batch, space),
                None => Ok(()),
            }
        })?;
        self.engine.catalog.changed();
        Ok(spent)
    }
}

/// The JSON of a moment in a manifest.
pub(super) fn moment(json: &mut Writer<'_>, name: &str, moment: Timestamp) {
    json.name(name).string(&(crate::calendar::iso_text(moment) + "Z"));
}
