//! The input of an import or a bulk put: objects, and the records in them.

use std::io::{self, Read};
use std::sync::Arc;

use keyplan_expression::{ParsedCondition, Placeholders};
use keyplan_formats::{Frame, Framing, Packing, Position, RecordReader, csv, ion, unpacked};
use keyplan_value::json::{Limits, Node, Tape};
use keyplan_value::limits::ITEM_SIZE_BYTES_MAX;
use keyplan_value::{AttributeValue, Item, Number, ValueKind, base64};

use super::record::Cursor;
use super::{Kind, unreadable};
use crate::buckets::{BucketError, Buckets};
use crate::catalog::TableDefinition;
use crate::error::InternalError;
use crate::expressions::ExpressionCache;
use crate::limits::OBJECT_CHUNK_BYTES;
use crate::validate::{present, string};

/// Where records come from, and what they are.
#[derive(Debug, Clone)]
pub(super) struct Source {
    pub(super) bucket: String,
    pub(super) prefix: String,
    packing: Packing,
    format: Format,
}

#[derive(Debug, Clone)]
enum Format {
    DynamoDbJson,
    Ion,
    Csv { delimiter: u8, header: Option<Vec<String>> },
}

impl Source {
    /// The source that a request names.
    pub(super) fn of(kind: Kind, request: Node<'_, '_>) -> Result<Source, InternalError> {
        let (place, options) = match kind {
            Kind::BulkPut => {
                let input = present(request, "InputS3Configuration").ok_or_else(unreadable)?;
                (input, input)
            }
            _ => (present(request, "S3BucketSource").ok_or_else(unreadable)?, request),
        };
        let word = |node, name| string(node, name).unwrap_or_default().into_owned();
        let csv = || {
            let options = present(request, "InputFormatOptions").and_then(|options| present(options, "Csv"));
            let delimiter = options.and_then(|csv| string(csv, "Delimiter")?.bytes().next()).unwrap_or(b',');
            let header = options.and_then(|csv| present(csv, "HeaderList"));
            let names = |list: Node<'_, '_>| {
                list.elements().map(|name| name.string().unwrap_or_default().into_owned()).collect()
            };
            Format::Csv { delimiter, header: header.map(names) }
        };
        Ok(Source {
            bucket: word(place, "S3Bucket"),
            prefix: word(place, "S3KeyPrefix"),
            packing: Packing::from_word(&word(options, "InputCompressionType")).unwrap_or(Packing::None),
            format: match &*word(options, "InputFormat") {
                "CSV" => csv(),
                "ION" => Format::Ion,
                _ => Format::DynamoDbJson,
            },
        })
    }

    fn framing(&self) -> Framing {
        match self.format {
            Format::DynamoDbJson => Framing::Objects,
            Format::Ion => Framing::Lines,
            Format::Csv { delimiter, .. } => Framing::Csv { delimiter },
        }
    }

    fn reader(&self, buckets: &Arc<dyn Buckets>, key: &str, position: Position) -> RecordReader {
        let is_plain = self.packing == Packing::None;
        let object = ObjectReader {
            buckets: Arc::clone(buckets),
            bucket: self.bucket.clone(),
            key: key.to_owned(),
            offset: if is_plain { position.offset } else { 0 },
            chunk: Vec::new(),
            read: 0,
        };
        let bytes = unpacked(self.packing, Box::new(object));
        match is_plain {
            true => RecordReader::resumed(bytes, self.framing(), position),
            false => RecordReader::new(bytes, self.framing(), position),
        }
    }
}

/// The bytes of an object, piece by piece.
struct ObjectReader {
    buckets: Arc<dyn Buckets>,
    bucket: String,
    key: String,
    offset: u64,
    chunk: Vec<u8>,
    read: usize,
}

impl Read for ObjectReader {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        if self.read == self.chunk.len() {
            self.chunk = self
                .buckets
                .get(&self.bucket, &self.key, self.offset, OBJECT_CHUNK_BYTES)
                .map_err(io::Error::other)?;
            self.offset += self.chunk.len() as u64;
            self.read = 0;
        }
        let count = self.chunk.get(self.read..).unwrap_or_default().read(buffer)?;
        self.read += count;
        Ok(count)
    }
}

/// A record that is an item, perhaps with the condition under which it is put.
#[derive(Debug)]
pub(super) struct Entry {
    pub(super) item: Item,
    pub(super) condition: Option<Arc<keyplan_expression::Condition>>,
}

/// What comes next of an object.
pub(super) enum Next {
    /// A record, with its number in the object; what is wrong with it stands in the place of an item.
    Record { index: u64, entry: Result<Entry, String> },
    /// Nothing that counts, but bytes were read.
    Nothing {
        /// Bytes that were read before and are passed over again.
        passed_over: usize,
    },
    /// The object's end.
    End,
    /// The object can't be read on: it is not packed as it should be.
    Damaged { index: u64, what: String },
    /// The bucket doesn't give it.
    Bucket(BucketError),
}

/// An object that is being read.
pub(super) struct OpenInput {
    pub(super) kind: Kind,
    pub(super) id: String,
    pub(super) object: String,
    format: Format,
    reader: RecordReader,
    /// The number of the next record.
    index: u64,
    /// A record that was read and given back, and where it starts.
    given_back: Option<(Position, u64, Result<Entry, String>)>,
}

impl OpenInput {
    /// Opens the object of a cursor.
    pub(super) fn open(
        (kind, id): (Kind, &str),
        source: &Source,
        buckets: &Arc<dyn Buckets>,
        cursor: &Cursor,
    ) -> Result<OpenInput, Next> {
        let mut input = OpenInput {
            kind,
            id: id.to_owned(),
            object: cursor.object.clone(),
            format: source.format.clone(),
            reader: source.reader(buckets, &cursor.object, cursor.position),
            index: cursor.index,
            given_back: None,
        };
        if let Format::Csv { delimiter, header: header @ None } = &mut input.format {
            // The first record names the attributes, also of those that are read later.
            let mut first = source.reader(buckets, &cursor.object, Position::default());
            let names = csv_header(&mut first, *delimiter)?;
            *header = Some(names.unwrap_or_default());
            if cursor.position == Position::default() {
                input.reader = first;
            }
        }
        Ok(input)
    }

    /// Where it is to be read on.
    pub(super) fn cursor(&self) -> Cursor {
        let (position, index) = match &self.given_back {
            Some((position, index, _)) => (*position, *index),
            None => (self.reader.position(), self.index),
        };
        Cursor { object: self.object.clone(), is_within: true, position, index }
    }

    /// Gives back the record that starts there; it comes next.
    pub(super) fn give_back(&mut self, position: Position, index: u64, entry: Entry) {
        self.given_back = Some((position, index, Ok(entry)));
    }

    /// Where the next record starts.
    pub(super) fn position(&self) -> Position {
        self.cursor().position
    }

    /// What comes next.
    pub(super) fn next(&mut self, table: &TableDefinition, expressions: &ExpressionCache) -> Next {
        if let Some((_, index, entry)) = self.given_back.take() {
            return Next::Record { index, entry };
        }
        let index = self.index;
        let entry = match self.reader.next_frame() {
            Err(error) => {
                return match super::bucket_error(&error) {
                    Some(error) => Next::Bucket(error.clone()),
                    None => Next::Damaged { index, what: error.to_string() },
                };
            }
            Ok(None) => return Next::End,
            Ok(Some(Frame::PassedOver(bytes))) => return Next::Nothing { passed_over: bytes },
            Ok(Some(Frame::Record(record))) if record.iter().all(u8::is_ascii_whitespace) => {
                return Next::Nothing { passed_over: 0 };
            }
            Ok(Some(Frame::TooLong)) => Err("the record is longer than any item can be".to_owned()),
            Ok(Some(Frame::Record(record))) => match &self.format {
                Format::DynamoDbJson => from_json(record, expressions),
                Format::Ion => from_ion(record, expressions),
                Format::Csv { delimiter, header } => {
                    from_csv(record, *delimiter, header.as_deref().unwrap_or_default(), table)
                }
            },
        };
        self.index += 1;
        Next::Record { index, entry: entry.and_then(small_enough) }
    }
}

fn small_enough(entry: Entry) -> Result<Entry, String> {
    match entry.item.as_ref().size() > ITEM_SIZE_BYTES_MAX {
        true => Err("Item size has exceeded the maximum allowed size".to_owned()),
        false => Ok(entry),
    }
}

fn from_json(record: &[u8], expressions: &ExpressionCache) -> Result<Entry, String> {
    let tape = Tape::parse(record, &Limits::default()).map_err(|error| error.to_string())?;
    let record = tape.root();
    let item = present(record, "Item").ok_or("the record has no Item")?;
    let item = Item::from_json(item).map_err(|error| error.to_string())?;
    let Some(condition) = string(record, "ConditionExpression") else {
        return Ok(Entry { item, condition: None });
    };
    let (mut names, mut values) = (Vec::new(), Vec::new());
    for (key, name) in present(record, "ExpressionAttributeNames").into_iter().flat_map(|map| map.members()) {
        names.push((key.to_str().into_owned(), name.string().unwrap_or_default().into_owned()));
    }
    for (key, value) in present(record, "ExpressionAttributeValues").into_iter().flat_map(|map| map.members())
    {
        let value = keyplan_value::Value::from_json(value).map_err(|error| error.to_string())?;
        values.push((key.to_str().into_owned(), value));
    }
    let condition = bound(&condition, Placeholders::new(names, values), expressions)?;
    Ok(Entry { item, condition: Some(condition) })
}

fn from_ion(record: &[u8], expressions: &ExpressionCache) -> Result<Entry, String> {
    let record = ion::read(record).map_err(|error| error.to_string())?;
    let AttributeValue::M(mut record) = record else { return Err("the record is no struct".to_owned()) };
    let Some(AttributeValue::M(item)) = record.remove("Item") else {
        return Err("the record has no Item".to_owned());
    };
    let item = Item::from_attributes(item).map_err(|error| error.to_string())?;
    let Some(AttributeValue::S(condition)) = record.remove("ConditionExpression") else {
        return Ok(Entry { item, condition: None });
    };
    let mut members = |name: &str| match record.remove(name) {
        Some(AttributeValue::M(members)) => members,
        _ => Default::default(),
    };
    let names = members("ExpressionAttributeNames");
    let names = names.into_iter().filter_map(|(key, name)| Some((key, name.as_s()?.to_owned())));
    let values = members("ExpressionAttributeValues").into_iter().map(|(key, value)| {
        let value = keyplan_value::Value::try_from(&value).map_err(|error| error.to_string())?;
        Ok((key, value))
    });
    let placeholders = Placeholders::new(names, values.collect::<Result<Vec<_>, String>>()?);
    let condition = bound(&condition, placeholders, expressions)?;
    Ok(Entry { item, condition: Some(condition) })
}

fn bound(
    text: &str,
    placeholders: Placeholders,
    expressions: &ExpressionCache,
) -> Result<Arc<keyplan_expression::Condition>, String> {
    let parsed: Arc<ParsedCondition> = expressions.condition(text).map_err(|error| error.to_string())?;
    parsed.bind(&placeholders).map(Arc::new).map_err(|error| error.to_string())
}

/// The names that a file's first record gives; none in an empty file.
fn csv_header(reader: &mut RecordReader, delimiter: u8) -> Result<Option<Vec<String>>, Next> {
    let damaged = |what: String| Next::Damaged { index: 0, what };
    loop {
        match reader.next_frame() {
            Ok(None) => return Ok(None),
            Ok(Some(Frame::Record(record))) => {
                let names = csv::read(record, delimiter).map_err(|error| damaged(error.to_string()))?;
                // A byte order mark is what editors write before everything.
                let name = |name: &str| name.trim_start_matches('\u{feff}').to_owned();
                return Ok(Some(names.iter().map(|field| name(field)).collect()));
            }
            Ok(Some(Frame::TooLong)) => return Err(damaged("the header is too long".to_owned())),
            Ok(Some(Frame::PassedOver(_))) => {}
            Err(error) => {
                return Err(match super::bucket_error(&error) {
                    Some(error) => Next::Bucket(error.clone()),
                    None => damaged(error.to_string()),
                });
            }
        }
    }
}

/// A CSV record: every field is a string, but key attributes have their types.
fn from_csv(
    record: &[u8],
    delimiter: u8,
    header: &[String],
    table: &TableDefinition,
) -> Result<Entry, String> {
    let fields = csv::read(record, delimiter).map_err(|error| error.to_string())?;
    if fields.len() != header.len() {
        return Err("the record has another number of fields than the header".to_owned());
    }
    let mut attributes = Vec::with_capacity(fields.len());
    for (name, field) in header.iter().zip(&fields) {
        let kind = table.attribute_definitions.iter().find(|attribute| attribute.name == *name);
        let value = match kind.map(|attribute| attribute.kind) {
            Some(ValueKind::N) => {
                AttributeValue::N(Number::parse(field.trim()).map_err(|error| error.to_string())?)
            }
            Some(ValueKind::B) => {
                let mut bytes = Vec::new();
                base64::decode(field, &mut bytes).map_err(|_| format!("{name} is not Base64"))?;
                AttributeValue::B(bytes)
            }
            _ => AttributeValue::S(field.clone().into_owned()),
        };
        attributes.push((name.as_str(), value));
    }
    let item = Item::from_attributes(attributes).map_err(|error| error.to_string())?;
    Ok(Entry { item, condition: None })
}
