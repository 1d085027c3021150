//! What a model file may hold. A file comes from a repository, an editor or a share link, so its
//! reading is bounded like that of any hostile input.

/// The largest model file, in bytes.
pub const MODEL_FILE_BYTES_MAX: usize = 1024 * 1024;

/// The most YAML nodes (scalars, lists and mappings) in a file.
pub const MODEL_NODES_MAX: usize = 200_000;

/// How deep lists and mappings may stand in one another. An attribute of an item may be nested 32
/// levels deep on the service; a sample that needs this depth is no sample.
pub const MODEL_NESTING_MAX: usize = 24;

/// The most parts (texts and names) of one key template.
pub const TEMPLATE_PARTS_MAX: usize = 32;

/// The most findings that are told at once; the rest is counted.
pub const MODEL_FINDINGS_MAX: usize = 50;

/// The longest name for which a similar one is looked for, in bytes.
pub(crate) const SUGGESTION_NAME_BYTES_MAX: usize = 64;

/// The most known names that are compared with an unknown one.
pub(crate) const SUGGESTION_CANDIDATES_MAX: usize = 200;
