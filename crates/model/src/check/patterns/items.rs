//! Items by their keys: read, written, edited and deleted, alone, in a batch or in a transaction.

use std::collections::HashMap;

use serde_json::{Map, Value, json};

use super::super::entities::{is_number_template, name_type};
use super::super::{Names, known, template};
use super::expressions::{Expressions, Language};
use super::uses::Uses;
use super::{Draft, insert_consistent};
use crate::finding::{Findings, Position};
use crate::model::{Entity, KeyTemplate};
use crate::pattern::{ActionKind, Operation};
use crate::placed::{At, Entries, Plain};
use crate::problem::{Named, Problem};
use crate::sample::typed;
use crate::shape::{ActionShape, ParameterShape, PatternShape, ValuesShape};
use crate::template::Template;
use crate::types::{AttributeType, KeyType};

/// What is said of one item: in a pattern of a single item, or in an action of a transaction.
struct Subject<'s> {
    at: Position,
    entity: &'s At<String>,
    key: Option<&'s At<Entries<At<String>>>>,
    item: Option<&'s At<ValuesShape>>,
    update: Option<&'s At<String>>,
    condition: Option<&'s At<String>>,
    projection: Option<&'s At<String>>,
    values: Option<&'s At<ValuesShape>>,
    parameters: &'s Entries<ParameterShape>,
}

/// A pattern of a single item.
pub(super) fn single(
    id: &At<String>,
    shape: &PatternShape,
    entities: &[Entity],
    names: &Names<'_>,
    findings: &mut Findings,
) -> Option<Draft> {
    let subject = Subject {
        at: id.at,
        entity: shape.entity.as_ref()?,
        key: shape.key.as_ref(),
        item: shape.item.as_ref(),
        update: shape.update.as_ref(),
        condition: shape.condition.as_ref(),
        projection: shape.projection.as_ref(),
        values: shape.values.as_ref(),
        parameters: &shape.parameters,
    };
    let entity = entity(subject.entity, entities, names, findings)?;
    let mut draft = Draft::new(&entity.table);
    draft.entity = Some(entity.name.clone());
    let whole_item = shape.operation.value == Operation::PutItem;
    draft.body = request(&subject, entity, whole_item, &mut draft.uses, findings)?;
    if let Some(values) = &shape.return_values {
        draft.body.insert("ReturnValues".into(), json!(values.value.word()));
    }
    insert_consistent(shape, &mut draft.body);
    Some(draft)
}

/// A batch of items by their keys.
pub(super) fn batch_get(
    shape: &PatternShape,
    entities: &[Entity],
    names: &Names<'_>,
    findings: &mut Findings,
) -> Option<Draft> {
    let keys = shape.keys.as_ref()?;
    let mut draft: Option<Draft> = None;
    let mut tables: Map<String, Value> = Map::new();
    for shape in &keys.value.0 {
        let [(name, given)] = shape.0.value.list.as_slice() else {
            let found = shape.0.value.list.len();
            findings.add(shape.0.at, || Problem::OneEntityEach { found });
            continue;
        };
        let entity = entity(name, entities, names, findings)?;
        let draft = draft.get_or_insert_with(|| Draft::new(&entity.table));
        let (key, _) = key(entity, name.at, Some(&given.value), &mut draft.uses, findings)?;
        let of_table = tables.entry(entity.table.clone()).or_insert_with(|| json!({ "Keys": [] }));
        if let Some(Value::Array(keys)) = of_table.get_mut("Keys") {
            keys.push(Value::Object(key));
        }
    }
    let mut draft = draft?;
    draft.body.insert("RequestItems".into(), Value::Object(tables));
    Some(draft)
}

/// Several writes, all or none.
pub(super) fn transaction(
    shape: &PatternShape,
    entities: &[Entity],
    names: &Names<'_>,
    findings: &mut Findings,
) -> Option<Draft> {
    let actions = shape.actions.as_ref()?;
    let mut draft: Option<Draft> = None;
    let mut written = Vec::new();
    for shape_of_one in &actions.value.0 {
        let subject = Subject {
            at: shape_of_one.action.at,
            entity: &shape_of_one.entity,
            key: shape_of_one.key.as_ref(),
            item: shape_of_one.item.as_ref(),
            update: shape_of_one.update.as_ref(),
            condition: shape_of_one.condition.as_ref(),
            projection: None,
            values: shape_of_one.values.as_ref(),
            parameters: &shape.parameters,
        };
        refuse(shape_of_one, findings);
        let entity = entity(subject.entity, entities, names, findings)?;
        let draft = draft.get_or_insert_with(|| Draft::new(&entity.table));
        let kind = shape_of_one.action.value;
        let body = request(&subject, entity, kind == ActionKind::Put, &mut draft.uses, findings)?;
        written.push(json!({ member(kind): body }));
    }
    let mut draft = draft?;
    draft.body.insert("TransactItems".into(), json!(written));
    Some(draft)
}

fn member(kind: ActionKind) -> &'static str {
    match kind {
        ActionKind::Put => "Put",
        ActionKind::Update => "Update",
        ActionKind::Delete => "Delete",
        ActionKind::Check => "ConditionCheck",
    }
}

/// An action's members are those of its kind.
fn refuse(action: &ActionShape, findings: &mut Findings) {
    let kind = action.action.value;
    let update = kind == ActionKind::Update;
    for (name, there, taken, needed) in [
        ("item", action.item.as_ref().map(|item| item.at), kind == ActionKind::Put, false),
        ("update", action.update.as_ref().map(|update| update.at), update, update),
        ("condition", action.condition.as_ref().map(|at| at.at), true, kind == ActionKind::Check),
    ] {
        let operation = member(kind);
        match there {
            Some(at) if !taken => findings.add(at, || Problem::MemberRefused { operation, member: name }),
            None if needed => {
                findings.add(action.action.at, || Problem::MemberNeeded { operation, member: name });
            }
            _ => {}
        }
    }
}

fn entity<'e>(
    name: &At<String>,
    entities: &'e [Entity],
    names: &Names<'_>,
    findings: &mut Findings,
) -> Option<&'e Entity> {
    known(Named::Entity, name, names.entities.iter().copied(), findings);
    entities.iter().find(|entity| entity.name == name.value)
}

fn request(
    subject: &Subject<'_>,
    entity: &Entity,
    whole_item: bool,
    uses: &mut Uses,
    findings: &mut Findings,
) -> Option<Map<String, Value>> {
    let given = subject.key.map(|key| &key.value);
    let (key, texts) = key(entity, subject.at, given, uses, findings)?;
    let mut body = Map::new();
    body.insert("TableName".into(), json!(entity.table));
    if whole_item {
        let item = item(entity, key, texts, subject.item, uses, findings);
        body.insert("Item".into(), Value::Object(item));
    } else {
        body.insert("Key".into(), Value::Object(key));
    }
    let mut expressions = Expressions::new(subject.values, subject.parameters);
    for (member, language, text) in [
        ("UpdateExpression", Language::Update, subject.update),
        ("ConditionExpression", Language::Condition, subject.condition),
        ("ProjectionExpression", Language::Projection, subject.projection),
    ] {
        expressions.add(member, language, text, &mut body, uses, findings);
    }
    expressions.finish(&mut body, findings);
    Some(body)
}

/// The template of each name, in the words of the pattern's parameters.
type Texts<'e> = HashMap<&'e str, Template>;

/// The key of an entity's item: each name of its templates is what `given` says, or a parameter.
fn key<'e>(
    entity: &'e Entity,
    at: Position,
    given: Option<&Entries<At<String>>>,
    uses: &mut Uses,
    findings: &mut Findings,
) -> Option<(Map<String, Value>, Texts<'e>)> {
    let in_key = || entity.key.iter().flat_map(|key| key.template.names());
    for (name, _) in given.iter().flat_map(|given| &given.list) {
        known(Named::Attribute, name, in_key(), findings);
    }
    let mut texts = Texts::new();
    let mut kinds: HashMap<String, KeyType> = HashMap::new();
    for name in in_key() {
        let own = given.and_then(|given| given.list.iter().find(|(other, _)| other.value == name));
        let text = match own {
            Some((_, text)) => template(text, findings)?,
            None => Template::parse(&format!("<{name}>")).ok()?,
        };
        let number = name_type(entity, name) == AttributeType::N;
        for parameter in text.names() {
            let whole = text.single_name().is_some();
            kinds.insert(parameter.to_owned(), if whole && number { KeyType::N } else { KeyType::S });
        }
        texts.insert(name, text);
    }
    let mut key = Map::new();
    for part in &entity.key {
        let value = composed(part, &texts, at, &kinds, uses, findings)?;
        key.insert(part.attribute.clone(), value);
    }
    Some((key, texts))
}

/// A template of an entity with a pattern's templates in the place of its names; nothing where one of them
/// has none.
fn composed(
    part: &KeyTemplate,
    texts: &Texts<'_>,
    at: Position,
    kinds: &HashMap<String, KeyType>,
    uses: &mut Uses,
    findings: &mut Findings,
) -> Option<Value> {
    let text = part.template.fill(|name| texts.get(name).map(Template::to_string).ok_or(())).ok()?;
    let composed = template(&At { at, value: text }, findings)?;
    if part.kind == KeyType::N && !is_number_template(&composed) {
        let attribute = part.attribute.clone();
        findings.add(at, || Problem::NumberKeyTemplate { attribute });
        return None;
    }
    uses.add_typed(&composed, at, |name| kinds.get(name).copied().unwrap_or(KeyType::S));
    Some(json!({ part.kind.code(): composed.to_string() }))
}

/// A whole item: its key, the attributes of its indexes, and what the pattern gives.
fn item<'e>(
    entity: &'e Entity,
    key: Map<String, Value>,
    mut texts: Texts<'e>,
    given: Option<&At<ValuesShape>>,
    uses: &mut Uses,
    findings: &mut Findings,
) -> Map<String, Value> {
    let given = given.map(|given| given.value.list.as_slice()).unwrap_or_default();
    for (name, _) in given {
        let declared = entity.attributes.iter().map(|attribute| attribute.name.as_str());
        known(Named::Attribute, name, declared, findings);
    }
    let mut attributes = Map::new();
    let mut kinds = HashMap::new();
    for attribute in &entity.attributes {
        let own = given.iter().find(|(name, _)| name.value == attribute.name).map(|(_, value)| value);
        let value = match (own, texts.get(attribute.name.as_str())) {
            (Some(value), _) => written(&attribute.name, attribute.kind, value, uses, findings),
            (None, Some(text)) => Some(json!({ attribute.kind.code(): text.to_string() })),
            (None, None) => None,
        };
        let Some(value) = value else { continue };
        if let Some(text) = value[attribute.kind.code()].as_str()
            && let Ok(template) = Template::parse(text)
        {
            let kind = if attribute.kind == AttributeType::N { KeyType::N } else { KeyType::S };
            kinds.extend(template.single_name().map(|name| (name.to_owned(), kind)));
            texts.insert(&attribute.name, template);
        }
        attributes.insert(attribute.name.clone(), value);
    }
    let mut item = key;
    let at = given.first().map_or(Position::START, |(name, _)| name.at);
    for part in &entity.index_keys {
        if let Some(value) = composed(part, &texts, at, &kinds, uses, findings) {
            item.insert(part.attribute.clone(), value);
        }
    }
    item.extend(attributes);
    item
}

/// A value that a pattern writes: texts and numbers may be parameters.
fn written(
    name: &str,
    kind: AttributeType,
    value: &At<Plain>,
    uses: &mut Uses,
    findings: &mut Findings,
) -> Option<Value> {
    let key_kind = match kind {
        AttributeType::S => KeyType::S,
        AttributeType::N => KeyType::N,
        _ => return typed(name, kind, value, findings),
    };
    match &value.value {
        Plain::Text { text, .. } if text.contains('<') => {
            let text = At { at: value.at, value: text.clone() };
            let template = template(&text, findings)?;
            if key_kind == KeyType::N && !is_number_template(&template) {
                findings.add(text.at, || Problem::NumberKeyTemplate { attribute: name.to_owned() });
                return None;
            }
            uses.add(&template, key_kind, text.at);
            Some(json!({ kind.code(): text.value }))
        }
        _ => typed(name, kind, value, findings),
    }
}
