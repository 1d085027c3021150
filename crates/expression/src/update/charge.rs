//! What UpdateItem charges for an update before it reads the item.
//!
//! The figures are measured, statement by statement; the service refuses an update whose charge is more
//! than an item may have bytes.

use keyplan_value::Value;

use super::{Change, Term, Update};
use crate::path::{DocumentPath, PathElement};
use crate::syntax::ArithmeticOperator;

const STATEMENT: u64 = 3;
const SET_OR_ADD: u64 = 19;
const REMOVE_OR_DELETE: u64 = 1;
const FURTHER_TARGET_ELEMENT: u64 = 4;
const PATH_OPERAND: u64 = 1;
const PATH_OPERAND_ELEMENT: u64 = 14;
const PLUS: u64 = 34;
const MINUS: u64 = 37;
const IF_NOT_EXISTS: u64 = 39;
const LIST_APPEND: u64 = 37;

impl Update {
    /// The charge, which UpdateItem by itself compares with the size limit of an item. Transactions,
    /// PartiQL and the legacy parameters have no such charge.
    pub fn charge(&self) -> u64 {
        let actions = self.actions.iter().map(|action| {
            let target = target(&action.target);
            match &action.change {
                Change::Set(terms) => {
                    let terms = self.terms.get(terms.clone()).unwrap_or_default();
                    SET_OR_ADD + target + terms.iter().map(own_charge).sum::<u64>()
                }
                Change::Add(value) => SET_OR_ADD + target + size(value),
                // The members that DELETE takes away are free.
                Change::Remove | Change::Delete(_) => REMOVE_OR_DELETE + target,
            }
        });
        STATEMENT + actions.sum::<u64>()
    }
}

fn target(path: &DocumentPath) -> u64 {
    let further = path.inner().iter().map(|element| FURTHER_TARGET_ELEMENT + element_bytes(element));
    path.attribute().len() as u64 + further.sum::<u64>()
}

/// What a term costs beside the terms below it.
fn own_charge(term: &Term) -> u64 {
    match term {
        Term::Path(path) => path_operand(path),
        Term::Value(value) => size(value),
        Term::IfNotExists(..) => IF_NOT_EXISTS,
        Term::ListAppend(..) => LIST_APPEND,
        Term::Arithmetic(ArithmeticOperator::Plus, ..) => PLUS,
        Term::Arithmetic(ArithmeticOperator::Minus, ..) => MINUS,
    }
}

fn path_operand(path: &DocumentPath) -> u64 {
    let inner = path.inner().iter().map(|element| PATH_OPERAND_ELEMENT + element_bytes(element));
    PATH_OPERAND + PATH_OPERAND_ELEMENT + path.attribute().len() as u64 + inner.sum::<u64>()
}

fn element_bytes(element: &PathElement) -> u64 {
    match element {
        PathElement::Name(name) => name.len() as u64,
        PathElement::Index(index) => u64::from(index.checked_ilog10().unwrap_or(0)) + 1,
    }
}

fn size(value: &Value) -> u64 {
    value.as_ref().size()
}
