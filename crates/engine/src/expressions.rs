//! Expressions that were parsed before.
//!
//! Programs send the same few texts again and again, and parsing one costs more than looking up an
//! item, so what was parsed is kept by its text. What placeholders stand for isn't part of it.

use std::collections::HashMap;
use std::fmt;
use std::sync::{Arc, PoisonError, RwLock};

use keyplan_expression::{
    ExpressionError, ParsedCondition, ParsedKeyCondition, ParsedProjection, ParsedUpdate,
};

use crate::limits::EXPRESSIONS_CACHED_MAX;

/// The parsed expressions of an engine, by kind and text.
#[derive(Debug, Default)]
pub struct ExpressionCache {
    conditions: Parsed<ParsedCondition>,
    key_conditions: Parsed<ParsedKeyCondition>,
    projections: Parsed<ParsedProjection>,
    updates: Parsed<ParsedUpdate>,
}

impl ExpressionCache {
    /// A condition or a filter.
    ///
    /// # Errors
    /// What is wrong with the text.
    pub fn condition(&self, text: &str) -> Result<Arc<ParsedCondition>, ExpressionError> {
        self.conditions.get(text, ParsedCondition::parse)
    }

    /// A key condition.
    ///
    /// # Errors
    /// What is wrong with the text.
    pub fn key_condition(&self, text: &str) -> Result<Arc<ParsedKeyCondition>, ExpressionError> {
        self.key_conditions.get(text, ParsedKeyCondition::parse)
    }

    /// A projection.
    ///
    /// # Errors
    /// What is wrong with the text.
    pub fn projection(&self, text: &str) -> Result<Arc<ParsedProjection>, ExpressionError> {
        self.projections.get(text, ParsedProjection::parse)
    }

    /// An update.
    ///
    /// # Errors
    /// What is wrong with the text.
    pub fn update(&self, text: &str) -> Result<Arc<ParsedUpdate>, ExpressionError> {
        self.updates.get(text, ParsedUpdate::parse)
    }
}

/// What was parsed of one kind, by text.
struct Parsed<T> {
    by_text: RwLock<HashMap<Box<str>, Arc<T>>>,
}

impl<T> Parsed<T> {
    fn get(
        &self,
        text: &str,
        parse: impl FnOnce(&str) -> Result<T, ExpressionError>,
    ) -> Result<Arc<T>, ExpressionError> {
        let known = self.by_text.read().unwrap_or_else(PoisonError::into_inner).get(text).cloned();
        if let Some(known) = known {
            return Ok(known);
        }
        // No lock is held while parsing; two threads may parse the same text, and either result does.
        let parsed = Arc::new(parse(text)?);
        let mut by_text = self.by_text.write().unwrap_or_else(PoisonError::into_inner);
        if by_text.len() >= EXPRESSIONS_CACHED_MAX {
            // Texts with values written into them would fill it; starting over is cheaper than an order
            // of use kept at every look-up.
            by_text.clear();
        }
        by_text.insert(text.into(), Arc::clone(&parsed));
        Ok(parsed)
    }
}

impl<T> Default for Parsed<T> {
    fn default() -> Parsed<T> {
        Parsed { by_text: RwLock::default() }
    }
}

impl<T> fmt::Debug for Parsed<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let kept = self.by_text.read().unwrap_or_else(PoisonError::into_inner).len();
        f.debug_struct("Parsed").field("kept", &kept).finish()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_text_is_parsed_once() {
        let cache = ExpressionCache::default();
        let first = cache.condition("a = :v").expect("it parses");
        assert!(Arc::ptr_eq(&first, &cache.condition("a = :v").expect("it parses")));
        assert!(!Arc::ptr_eq(&first, &cache.condition("a <> :v").expect("it parses")));
        assert!(cache.condition("a =").is_err());
    }

    #[test]
    fn it_stays_bounded() {
        let cache = ExpressionCache::default();
        for number in 0..3 * EXPRESSIONS_CACHED_MAX {
            cache.projection(&format!("a{number}")).expect("it parses");
        }
        let kept = cache.projections.by_text.read().expect("no panic").len();
        assert!((1..=EXPRESSIONS_CACHED_MAX).contains(&kept), "{kept} kept");
    }
}
