//! Updates as the generator holds them and the model means them.

use crate::expression::{Element, Path, project};
use crate::value::{Item, Number, Value};

/// What SET assigns.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Term {
    /// What is at a place.
    Path(Path),
    /// A value of the request.
    Value(Value),
    /// What is at a place, or if nothing is there the other.
    IfNotExists(Path, Box<Term>),
    /// Two lists, one after the other.
    ListAppend(Box<Term>, Box<Term>),
    /// A sum.
    Plus(Box<Term>, Box<Term>),
    /// A difference.
    Minus(Box<Term>, Box<Term>),
}

/// What is done to one place.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Change {
    /// SET.
    Set(Term),
    /// REMOVE.
    Remove,
    /// ADD.
    Add(Value),
    /// DELETE.
    Delete(Value),
}

/// One place with what is done to it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Action {
    /// The place.
    pub target: Path,
    /// What is done.
    pub change: Change,
}

/// An update: its actions in the order in which they are written.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Update(pub Vec<Action>);

/// Why an update can't be done, in the service's words.
pub type Refusal = &'static str;

const NO_ATTRIBUTE: Refusal =
    "The provided expression refers to an attribute that does not exist in the item";
/// What is stored is of a type that the change doesn't take.
pub const WRONG_TYPE: Refusal = "An operand in the update expression has an incorrect data type";
const NO_PLACE: Refusal = "The document path provided in the update expression is invalid for update";

impl Update {
    /// Whether it only takes away; such an update makes no item.
    pub fn only_takes_away(&self) -> bool {
        self.0.iter().all(|action| matches!(action.change, Change::Remove | Change::Delete(_)))
    }

    /// The item after the update. Everything on the right means the item before it.
    pub fn apply(&self, old: &Item) -> Result<Item, Refusal> {
        // What each action puts in its place; nothing where it takes away what is there. ADD and DELETE are
        // looked at before SET, whatever the order of writing.
        let mut puts: Vec<Option<Option<Value>>> = Vec::new();
        for action in &self.0 {
            let stored = action.target.find(old);
            puts.push(match &action.change {
                Change::Add(operand) => Some(Some(add(stored, operand)?)),
                Change::Delete(operand) => delete(stored, operand)?,
                Change::Remove => Some(None),
                Change::Set(_) => None,
            });
        }
        for (action, put) in self.0.iter().zip(&mut puts) {
            if let Change::Set(term) = &action.change {
                *put = Some(Some(computed(term, old)?));
            }
        }
        if !self.0.iter().all(|action| has_parent(&action.target, old)) {
            return Err(NO_PLACE);
        }
        let mut put: Vec<(&Path, &Value)> = Vec::new();
        let mut taken: Vec<&Path> = Vec::new();
        for (action, outcome) in self.0.iter().zip(&puts) {
            match outcome {
                Some(Some(value)) => put.push((&action.target, value)),
                Some(None) => taken.push(&action.target),
                // A DELETE that finds nothing.
                None => {}
            }
        }
        // In the order of places, so that what is put past a list's end is appended in the order of indexes.
        put.sort_unstable_by_key(|(path, _)| *path);
        // Indexes mean the list as it was, so the last is taken first.
        taken.sort_unstable_by(|one, other| other.cmp(one));
        let mut new = old.clone();
        for (path, value) in put {
            place(&mut new, path, value.clone());
        }
        for path in taken {
            take(&mut new, path);
        }
        Ok(new)
    }

    /// What the targets held before.
    pub fn updated_old(&self, old: &Item) -> Item {
        let targets: Vec<Path> = self.0.iter().map(|action| action.target.clone()).collect();
        project(old, &targets)
    }

    /// What the targets hold after: nothing where something was removed, but for what moved there in a list.
    pub fn updated_new(&self, new: &Item) -> Item {
        let targets: Vec<Path> = self.0.iter().map(|action| action.target.clone()).collect();
        project(new, &targets)
    }
}

fn add(stored: Option<&Value>, operand: &Value) -> Result<Value, Refusal> {
    Ok(match (stored, operand) {
        (None, operand) => operand.clone(),
        (Some(Value::N(one)), Value::N(other)) => Value::N(Number(one.0 + other.0)),
        (Some(Value::Ss(one)), Value::Ss(other)) => Value::Ss(one | other),
        (Some(Value::Ns(one)), Value::Ns(other)) => Value::Ns(one | other),
        (Some(Value::Bs(one)), Value::Bs(other)) => Value::Bs(one | other),
        _ => return Err(WRONG_TYPE),
    })
}

/// What a DELETE puts in the place of a set; inside, nothing if the set is then empty.
fn delete(stored: Option<&Value>, operand: &Value) -> Result<Option<Option<Value>>, Refusal> {
    let rest = match (stored, operand) {
        (None, _) => return Ok(None),
        (Some(Value::Ss(one)), Value::Ss(other)) => Value::Ss(one - other),
        (Some(Value::Ns(one)), Value::Ns(other)) => Value::Ns(one - other),
        (Some(Value::Bs(one)), Value::Bs(other)) => Value::Bs(one - other),
        _ => return Err(WRONG_TYPE),
    };
    let is_empty = matches!(&rest, Value::Ss(members) if members.is_empty())
        || matches!(&rest, Value::Ns(members) if members.is_empty())
        || matches!(&rest, Value::Bs(members) if members.is_empty());
    Ok(Some((!is_empty).then_some(rest)))
}

fn computed(term: &Term, old: &Item) -> Result<Value, Refusal> {
    match term {
        Term::Path(path) => path.find(old).cloned().ok_or(NO_ATTRIBUTE),
        Term::Value(value) => Ok(value.clone()),
        Term::IfNotExists(path, otherwise) => match path.find(old) {
            Some(found) => Ok(found.clone()),
            None => computed(otherwise, old),
        },
        Term::ListAppend(front, back) => match (computed(front, old)?, computed(back, old)?) {
            (Value::L(front), Value::L(back)) => Ok(Value::L([front, back].concat())),
            _ => Err(WRONG_TYPE),
        },
        Term::Plus(left, right) => match (computed(left, old)?, computed(right, old)?) {
            (Value::N(left), Value::N(right)) => Ok(Value::N(Number(left.0 + right.0))),
            _ => Err(WRONG_TYPE),
        },
        Term::Minus(left, right) => match (computed(left, old)?, computed(right, old)?) {
            (Value::N(left), Value::N(right)) => Ok(Value::N(Number(left.0 - right.0))),
            _ => Err(WRONG_TYPE),
        },
    }
}

/// Whether what a place lies in is there, and of the right type.
fn has_parent(path: &Path, item: &Item) -> bool {
    let Some((last, before)) = path.inner.split_last() else { return true };
    let parent = Path { attribute: path.attribute.clone(), inner: before.to_vec() };
    matches!(
        (parent.find(item), last),
        (Some(Value::M(_)), Element::Member(_)) | (Some(Value::L(_)), Element::Index(_))
    )
}

fn parent_of<'i>(item: &'i mut Item, path: &Path) -> Option<&'i mut Value> {
    let (_, before) = path.inner.split_last()?;
    let mut found = item.get_mut(&path.attribute)?;
    for element in before {
        found = match (found, element) {
            (Value::M(members), Element::Member(name)) => members.get_mut(name)?,
            (Value::L(elements), Element::Index(index)) => elements.get_mut(*index)?,
            _ => return None,
        };
    }
    Some(found)
}

fn place(item: &mut Item, path: &Path, value: Value) {
    match (parent_of(item, path), path.inner.last()) {
        (Some(Value::M(members)), Some(Element::Member(name))) => {
            members.insert(name.clone(), value);
        }
        (Some(Value::L(elements)), Some(Element::Index(index))) => match elements.get_mut(*index) {
            Some(element) => *element = value,
            None => elements.push(value),
        },
        _ => {
            item.insert(path.attribute.clone(), value);
        }
    }
}

fn take(item: &mut Item, path: &Path) {
    match (parent_of(item, path), path.inner.last()) {
        (Some(Value::M(members)), Some(Element::Member(name))) => {
            members.remove(name);
        }
        (Some(Value::L(elements)), Some(Element::Index(index))) => {
            if *index < elements.len() {
                elements.remove(*index);
            }
        }
        _ => {
            item.remove(&path.attribute);
        }
    }
}
