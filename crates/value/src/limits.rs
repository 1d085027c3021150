//! Every limit on values, with its unit.

/// Deepest nesting of arrays and objects in a request's JSON. The service reads about 2,000 levels.
pub const JSON_DEPTH_LEVELS_MAX: usize = 2_000;

/// Longest request body.
pub const REQUEST_LENGTH_BYTES_MAX: usize = 16 * 1024 * 1024;

/// Most significant digits of a number.
pub const NUMBER_DIGITS_MAX: usize = 38;

/// Largest power of ten of a number's first significant digit.
pub const NUMBER_EXPONENT_MAX: i16 = 125;

/// Smallest power of ten of a number's first significant digit.
pub const NUMBER_EXPONENT_MIN: i16 = -130;

/// Longest attribute name or map key, in bytes of UTF-8.
pub const ATTRIBUTE_NAME_BYTES_MAX: usize = 65_535;

/// Deepest nesting of a stored attribute: the attribute's own value is level 1.
pub const NESTING_LEVELS_MAX: usize = 32;

/// Longest value of a partition key attribute.
pub const PARTITION_KEY_BYTES_MAX: u64 = 2048;

/// Longest value of a sort key attribute.
pub const SORT_KEY_BYTES_MAX: u64 = 1024;

/// Largest item, names included.
pub const ITEM_SIZE_BYTES_MAX: u64 = 400 * 1024;
