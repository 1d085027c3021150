//! The service's words for what is wrong with a value.

use crate::number::NumberError;

/// The text for a number error.
pub(crate) fn number(error: NumberError) -> &'static str {
    match error {
        NumberError::NotANumber => "The parameter cannot be converted to a numeric value",
        NumberError::TooManyDigits => "Attempting to store more than 38 significant digits in a Number",
        NumberError::Overflow => {
            "Number overflow. Attempting to store a number with magnitude larger than supported range"
        }
        NumberError::Underflow => {
            "Number underflow. Attempting to store a number with magnitude smaller than supported range"
        }
    }
}
