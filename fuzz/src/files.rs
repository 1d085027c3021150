//! Files that a user opens.

use std::io::Cursor;

use keyplan_formats::{Frame, Framing, Packing, Position, RecordReader, csv, ion, unpacked};
use keyplan_model::Model;
use keyplan_store_sqlite::SqliteStore;
use keyplan_value::{AttributeValue, Item};

/// A model file is read, or what is wrong with it is said.
pub fn model(data: &[u8]) {
    let Ok(text) = std::str::from_utf8(data) else { return };
    if let Err(error) = Model::parse(text, "fuzz.yaml") {
        assert!(!error.to_string().is_empty());
    }
}

/// A database file of a stranger is opened or refused.
pub fn database(data: &[u8]) {
    let _ = SqliteStore::open_image(data);
}

/// A file to import is read to its end, whatever it is: each step is bounded, and where it is read on makes no
/// difference. The first byte says what it is taken for.
pub fn import_file(data: &[u8]) {
    let Some((&kind, file)) = data.split_first() else { return };
    let framing = match kind % 3 {
        0 => Framing::Objects,
        1 => Framing::Lines,
        _ => Framing::Csv { delimiter: b',' },
    };
    let packing = [Packing::None, Packing::Gzip, Packing::Zstd][usize::from(kind / 3 % 3)];
    let open =
        |from| RecordReader::new(unpacked(packing, Box::new(Cursor::new(file.to_vec()))), framing, from);
    let mut records = open(Position::default());
    let (mut last, mut found) = (0, 0);
    loop {
        let before = records.position();
        let record = match records.next_frame() {
            Ok(Some(Frame::Record(record))) => record.to_vec(),
            Ok(Some(Frame::TooLong | Frame::PassedOver(_))) => continue,
            Ok(None) | Err(_) => break,
        };
        let offset = records.position().offset;
        assert!(offset > last, "a record without bytes");
        last = offset;
        found += 1;
        if found % 7 == 1 {
            let mut resumed = open(before);
            let again = loop {
                match resumed.next_frame() {
                    Ok(Some(Frame::PassedOver(_))) => {}
                    Ok(Some(Frame::Record(again))) => break Some(again.to_vec()),
                    _ => break None,
                }
            };
            assert_eq!(again, Some(record.clone()), "a record is another one when it is read on there");
        }
        let _ = csv::read(&record, b',');
        if let Ok(value) = ion::read(&record)
            && let AttributeValue::M(members) = value
            && let Ok(item) = Item::from_attributes(members)
        {
            let mut written = Vec::new();
            ion::write_item(item.as_ref(), &mut written);
            let again = ion::read(&written).expect("a written item can be read");
            assert_eq!(AttributeValue::M(item.as_ref().to_attributes()), again, "Ion changed an item");
        }
    }
}
