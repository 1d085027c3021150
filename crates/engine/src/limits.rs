//! Every limit the engine enforces, with its unit. Limits on values are in `keyplan_value::limits`, those
//! on expressions in `keyplan_expression`.

/// Bytes of a request's body. Adaptors hold bodies to it before the engine sees them.
pub use keyplan_value::limits::REQUEST_LENGTH_BYTES_MAX;

/// Broken constraints listed in one answer.
pub const CONSTRAINT_ERRORS_LISTED_MAX: usize = 10;

/// Bytes of a value that a message repeats. The service repeats everything; a request of 16 MB shall not
/// be answered with one.
pub const ECHO_BYTES_MAX: usize = 64 * 1024;

/// Members of a request that are walked over for each look at one of them. A request of 16 MB can have more than
/// a million, which no operation knows.
pub const ROOT_MEMBERS_WALKED_MAX: usize = 64;

/// Levels of a value that a message repeats.
pub const ECHO_LEVELS_MAX: usize = 64;

/// Store entries that due jobs may go through before a request is run.
pub const JOB_ENTRIES_BEFORE_REQUEST_MAX: u32 = 256;

/// Store entries that one transaction of a job goes through, however large its budget: a store applies a
/// batch in one go, and requests wait for it.
pub const JOB_SLICE_ENTRIES_MAX: usize = 1_000;

/// Bytes of items that one transaction of a job goes through; the item that crosses them is part of it.
pub const JOB_SLICE_BYTES_MAX: usize = 4 * 1024 * 1024;

/// Milliseconds after which a request looks for due jobs again, where none was known.
pub const JOB_LOOK_MILLISECONDS: u64 = 1_000;

/// Bytes of a resource policy as it is sent, white space counted.
pub const RESOURCE_POLICY_BYTES_MAX: usize = 20_480;

/// Contributor insights in one page.
pub const LIST_INSIGHTS_MAX: usize = 100;

/// Keys that are counted at a time, of each kind and for each table or index with contributor insights.
pub const INSIGHTS_KEYS_COUNTED: usize = 256;

/// The busiest of them, as they are shown.
pub const INSIGHTS_KEYS_SHOWN_MAX: usize = 100;

/// Writes that can be undone.
pub const UNDO_RECORDS_MAX: usize = 50;

/// Bytes of all objects of buckets in memory.
pub const BUCKETS_IN_MEMORY_BYTES_MAX: usize = 512 * 1024 * 1024;

/// Bytes of an object that are read at once.
pub const OBJECT_CHUNK_BYTES: usize = 256 * 1024;

/// Objects that are listed at once.
pub const OBJECTS_LISTED_MAX: usize = 1_000;

/// Objects of an import.
pub const IMPORT_OBJECTS_MAX: usize = 5_000;

/// Objects of a bulk put.
pub const BULK_OBJECTS_MAX: usize = 50_000;

/// Errors of an import that are reported; all are counted.
pub const IMPORT_ERRORS_KEPT_MAX: u64 = 1_000;

/// Bytes of lines, before they are packed, at which a report is written.
pub const REPORT_FILE_BYTES_MAX: u64 = 4 * 1024 * 1024;

/// Bytes of lines, before they are packed, at which a file of an export is written.
pub const EXPORT_FILE_BYTES: usize = 4 * 1024 * 1024;

/// Milliseconds for which a transfer's client token is remembered once it is over.
pub const TRANSFER_TOKEN_MILLISECONDS: u64 = 8 * 60 * 60 * 1_000;

/// Milliseconds for which a transfer that is over is listed.
pub const TRANSFER_KEPT_MILLISECONDS: u64 = 90 * 24 * 60 * 60 * 1_000;

/// Milliseconds of the shortest window of an incremental export, and of the longest.
pub const EXPORT_WINDOW_MILLISECONDS: (u64, u64) = (15 * 60 * 1_000, 24 * 60 * 60 * 1_000);

/// Imports that are in progress at once.
pub const IMPORTS_AT_ONCE_MAX: usize = 50;

/// Transfers in one page of ListExports, ListImports and ListBulkOperations.
pub const LIST_TRANSFERS_MAX: usize = 25;

/// Bulk operations in one page of ListBulkOperations where the request doesn't say.
pub const LIST_BULK_OPERATIONS_DEFAULT: usize = 10;

/// Names in one page of ListTables.
pub const LIST_TABLES_NAMES_MAX: usize = 100;

/// Key attributes of a table or a local secondary index.
pub const KEY_ATTRIBUTES_MAX: usize = 2;

/// Partition key attributes of a global secondary index, and as many sort key attributes.
pub const GLOBAL_INDEX_KEY_ATTRIBUTES_OF_A_TYPE_MAX: usize = 4;

/// Local secondary indexes of a table.
pub const LOCAL_INDEXES_MAX: usize = 5;

/// Global secondary indexes of a table.
pub const GLOBAL_INDEXES_MAX: usize = 20;

/// Vector indexes of a table.
pub const VECTOR_INDEXES_MAX: usize = 5;

/// Dimensions of a vector.
pub const VECTOR_DIMENSIONS_MAX: i64 = 4096;

/// Results of one SearchVectors.
pub const SEARCH_RESULTS_MAX: i32 = 100;

/// Bytes of the answer of one SearchVectors.
pub const SEARCH_ANSWER_BYTES_MAX: usize = 16 * 1024 * 1024;

/// Bytes that a search in a vector index, or a write to one, is charged at least.
pub const VECTOR_REQUEST_BYTES_MIN: u64 = 1024;

/// Bytes that a search is charged for so many dimensions: 17.6 for each, as was measured.
pub const VECTOR_SEARCH_BYTES_OF_DIMENSIONS: (u64, u64) = (88, 5);

/// Partitions that a trace of a search shows, besides those of the results.
pub const SEARCH_TRACE_PARTITIONS_MAX: usize = 200;

/// Projected attributes that are named, over all of a table's indexes.
pub const NON_KEY_ATTRIBUTES_OF_TABLE_MAX: usize = 100;

/// Provisioned capacity units that can be asked for at all.
pub const PROVISIONED_UNITS_ASKED_MAX: i64 = 1_000_000_000_000;

/// Provisioned capacity units of a table.
pub const PROVISIONED_UNITS_OF_TABLE_MAX: u64 = 40_000;

/// Decreases of provisioned units in a day (UTC) that need no wait in between.
pub const DECREASES_OF_A_DAY_AT_WILL: u64 = 4;

/// Milliseconds between further decreases in a day.
pub const MILLISECONDS_BETWEEN_DECREASES: u64 = 3_600_000;

/// Read units that an on-demand table has ready from the start.
pub const WARM_READ_UNITS_MIN: u64 = 12_000;

/// Write units that an on-demand table has ready from the start.
pub const WARM_WRITE_UNITS_MIN: u64 = 4_000;

/// Tags of a table.
pub const TAGS_MAX: usize = 50;

/// Characters of a tag's key.
pub const TAG_KEY_CHARACTERS_MAX: usize = 128;

/// Characters of a tag's value.
pub const TAG_VALUE_CHARACTERS_MAX: usize = 256;

/// Bytes of a gigabyte, as the service counts them.
pub const GIGABYTE: u64 = 1 << 30;

/// Bytes of an item collection: the items of one partition key value and their entries in local secondary
/// indexes.
pub const ITEM_COLLECTION_BYTES_MAX: u64 = 10 * GIGABYTE;

/// Bytes of items that one page of Query or Scan reads; the item that crosses them is part of the page.
pub const PAGE_BYTES_MAX: u64 = 1024 * 1024;

/// Bytes that one read capacity unit pays for.
pub const READ_UNIT_BYTES: u64 = 4096;

/// Bytes that one write capacity unit pays for.
pub const WRITE_UNIT_BYTES: u64 = 1024;

/// Parsed expressions that are kept, of each kind.
pub const EXPRESSIONS_CACHED_MAX: usize = 512;

/// Partitions that an inspection lists.
pub const INSPECTED_PARTITIONS_MAX: usize = 200;

/// Items that an inspection lists.
pub const INSPECTED_ITEMS_MAX: usize = 2_000;

/// Items that an inspection looks at to count partitions.
pub const INSPECTED_ITEMS_COUNTED_MAX: u64 = 200_000;

/// Keys of one BatchGetItem, over all tables.
pub const BATCH_GET_KEYS_MAX: usize = 100;

/// Bytes of items in the answer of one BatchGetItem. The service's example (of 100 items of 300 KB the
/// answer has 52) holds for 16,000,000 bytes and not for 16 times 1,024 times 1,024.
pub const BATCH_GET_BYTES_MAX: u64 = 16_000_000;

/// Bytes of the items that one transaction reads or writes.
pub const TRANSACTION_BYTES_MAX: u64 = 4 * 1024 * 1024;

/// Milliseconds for which a transaction's token is remembered.
pub const REQUEST_TOKEN_MILLISECONDS: u64 = 10 * 60 * 1_000;

/// Provisioned read units of an account, and as many write units.
pub const PROVISIONED_UNITS_OF_ACCOUNT_MAX: u64 = 80_000;

/// Minutes for which an endpoint may be remembered.
pub const ENDPOINT_CACHE_MINUTES: u32 = 1_440;

/// Milliseconds of a day.
pub const DAY_MILLISECONDS: u64 = 24 * 3_600_000;

/// Milliseconds for which the backup of a deleted table is kept.
pub const SYSTEM_BACKUP_LIFE_MILLISECONDS: u64 = 35 * DAY_MILLISECONDS;

/// Backups in one page of ListBackups.
pub const LIST_BACKUPS_MAX: usize = 100;

/// Tables that are restored at once.
pub const RESTORES_AT_ONCE_MAX: usize = 50;

/// Days for which a table can be recovered, where a request doesn't say.
pub const RECOVERY_DAYS_DEFAULT: u64 = 35;

/// Milliseconds that pass before a table can be restored to a moment.
pub const RESTORABLE_AFTER_MILLISECONDS: u64 = 5 * 60 * 1_000;

/// Milliseconds for which a journal's record can be read in a stream, and an ended stream itself.
pub const STREAM_LIFE_MILLISECONDS: u64 = DAY_MILLISECONDS;

/// Milliseconds after which a stream's open shard is followed by another.
pub const SHARD_LIFE_MILLISECONDS: u64 = 4 * 3_600_000;

/// Milliseconds between looks at a journal for records that nobody can read any more.
pub const JOURNAL_LOOK_MILLISECONDS: u64 = 3_600_000;

/// Milliseconds for which a shard iterator is valid.
pub const SHARD_ITERATOR_LIFE_MILLISECONDS: u64 = 15 * 60 * 1_000;

/// Streams in one page of ListStreams.
pub const LIST_STREAMS_MAX: usize = 100;

/// Shards in one page of DescribeStream.
pub const DESCRIBE_STREAM_SHARDS_MAX: usize = 100;

/// Records of one GetRecords.
pub const GET_RECORDS_MAX: usize = 1_000;

/// Bytes of the records of one GetRecords; the record that crosses them is left out, unless it is the first.
pub const GET_RECORDS_BYTES_MAX: u64 = 1024 * 1024;

/// Milliseconds between looks for items that have expired.
pub const EXPIRY_LOOK_MILLISECONDS: u64 = 5_000;

/// Seconds after which an expiry time counts no more: five years.
pub const EXPIRY_LOOK_BACK_SECONDS: u64 = 5 * 365 * 24 * 3_600;

/// Items that one transaction removes because they have expired.
pub const EXPIRED_ITEMS_AT_ONCE_MAX: usize = 100;

/// Milliseconds of any time that the weather can have: a day.
pub const WEATHER_MILLISECONDS_MAX: u64 = 24 * 3_600_000;

/// Rules of the weather for errors.
pub const WEATHER_RULES_MAX: usize = 100;

/// Bytes of old images that are kept for reads that are behind.
pub const WEATHER_IMAGES_BYTES_MAX: usize = 256 * 1024 * 1024;

/// Tables and indexes whose throughput is metered at once.
pub const METERS_MAX: usize = 2_000;

/// Partitions of one table or index that are metered.
pub const METERED_PARTITIONS_MAX: usize = 256;

/// Stretches of a table or index that one SELECT reads at most.
pub const STATEMENT_READS_MAX: usize = 50;

/// Levels of a parameter of a statement; one more has a message of its own.
pub const STATEMENT_PARAMETER_LEVELS_MAX: usize = keyplan_value::limits::NESTING_LEVELS_MAX;

/// How long a SELECT can be gone on with.
pub const NEXT_TOKEN_LIFE_MILLISECONDS: u64 = 60 * 60 * 1_000;

/// How far a client's clock may be from ours when it signs a request.
pub const CLOCK_SKEW_MILLISECONDS_MAX: u64 = 15 * 60 * 1_000;
