//! Random writes.

use super::Generator;
use crate::model::{Model, Table, key_in};
use crate::request::{Effect, Request, Returned, Write};
use crate::value::{Item, Spelling};

impl Generator {
    fn write(&mut self, table: &Table, effect: Effect) -> Write {
        let key = match &effect {
            Effect::Put(key) | Effect::Update(key, _) | Effect::Delete(key) | Effect::Check(key) => key,
        };
        let found = key_in(&table.spec.key, key).and_then(|key| table.items.get(&key));
        let is_check = matches!(effect, Effect::Check(_));
        let condition = (is_check || self.one_in(3)).then(|| self.condition(found, 2));
        let tells_item = condition.is_some() && self.rng.bool();
        Write { table: self.name_of(table), effect, condition, tells_item, is_legacy: false }
    }

    fn effect(&mut self, table: &Table, now: u64) -> Effect {
        let mut key = self.key(table);
        match self.rng.u32(0..10) {
            0..4 => {
                let mut item = self.item(key, now);
                if self.one_in(30) {
                    self.spoil(table, &mut item);
                }
                Effect::Put(item)
            }
            choice => {
                if self.one_in(60) {
                    self.spoil_key(&mut key);
                }
                match choice {
                    4..8 => Effect::Update(key, (!self.one_in(20)).then(|| self.update(now))),
                    _ => Effect::Delete(key),
                }
            }
        }
    }

    /// PutItem, UpdateItem or DeleteItem.
    pub(super) fn single_write(&mut self, model: &Model, now: u64) -> Request {
        let table = self.any_table(model);
        let effect = self.effect(table, now);
        let returned = match effect {
            Effect::Update(..) => self.one_of(&[
                Returned::None,
                Returned::AllOld,
                Returned::AllNew,
                Returned::UpdatedOld,
                Returned::UpdatedNew,
            ]),
            _ => self.one_of(&[Returned::None, Returned::AllOld]),
        };
        let mut write = self.write(table, effect);
        if self.one_in(6) {
            self.make_legacy(&mut write, now);
        }
        let spelling = self.one_of(&[Spelling::Normal, Spelling::Zeros, Spelling::Exponent]);
        Request::Write { write, returned, detail: self.detail(), metrics: self.one_in(4), spelling }
    }

    /// Puts what the parameters from before expressions can say in the place of what they can't.
    fn make_legacy(&mut self, write: &mut Write, now: u64) {
        write.is_legacy = true;
        if write.condition.is_some() {
            write.condition = Some(self.legacy_condition());
        }
        if let Effect::Update(_, Some(update)) = &mut write.effect {
            *update = self.legacy_update(now);
        }
    }

    /// BatchWriteItem: at most one thing wrong with it, for the service looks at its requests in no fixed order.
    pub(super) fn batch_write(&mut self, model: &Model, now: u64) -> Request {
        let mut tables: Vec<(String, Vec<Effect>)> = Vec::new();
        for table in model.tables.values() {
            let mut effects: Vec<(Item, Effect)> = Vec::new();
            for _ in 0..self.rng.usize(0..6) {
                let key = self.key(table);
                if effects.iter().any(|(known, _)| *known == key) {
                    continue;
                }
                let effect = match self.one_in(3) {
                    true => Effect::Delete(key.clone()),
                    false => Effect::Put(self.item(key.clone(), now)),
                };
                effects.push((key, effect));
            }
            if !effects.is_empty() {
                tables
                    .push((table.spec.name.clone(), effects.into_iter().map(|(_, effect)| effect).collect()));
            }
        }
        let Some((name, effects)) = tables.first_mut() else { return self.single_write(model, now) };
        match self.rng.u32(0..80) {
            0 => effects.extend(effects.first().cloned()),
            1 => {
                let table = &model.tables[name];
                if let Some(Effect::Put(item)) = effects.first_mut() {
                    self.spoil(table, item);
                }
            }
            2 => {
                if let Some(Effect::Delete(key)) = effects.first_mut() {
                    self.spoil_key(key);
                }
            }
            _ => {}
        }
        Request::BatchWrite(tables, self.detail())
    }

    /// TransactWriteItems, sometimes with a token, and sometimes with one that was there before.
    pub(super) fn transact_write(&mut self, model: &Model, now: u64) -> Request {
        let mut writes: Vec<Write> = Vec::new();
        let mut keys: Vec<(String, Item)> = Vec::new();
        for _ in 0..self.rng.usize(1..6) {
            let table = self.any_table(model);
            let key = (table.spec.name.clone(), self.key(table));
            if keys.contains(&key) && !self.one_in(40) {
                continue;
            }
            let mut subject = key.1.clone();
            keys.push(key);
            let effect = match self.rng.u32(0..8) {
                0..3 => {
                    let mut item = self.item(subject, now);
                    if self.one_in(60) {
                        self.spoil(table, &mut item);
                    }
                    Effect::Put(item)
                }
                choice => {
                    if self.one_in(60) {
                        self.spoil_key(&mut subject);
                    }
                    match choice {
                        3..6 => Effect::Update(subject, Some(self.update(now))),
                        6 => Effect::Delete(subject),
                        _ => Effect::Check(subject),
                    }
                }
            };
            let mut write = self.write(table, effect);
            // A few conditions in each of several actions would cancel nearly every transaction.
            if !matches!(write.effect, Effect::Check(_)) && !self.one_in(3) {
                write.condition = None;
                write.tells_item = false;
            }
            writes.push(write);
        }
        // Which of two things that are wrong is told isn't known, so an item that comes twice is all there is.
        let is_double = |(place, key): (usize, &(String, Item))| keys[..place].contains(key);
        if keys.iter().enumerate().any(is_double) {
            let delete = |(table, key): (String, Item)| Write {
                table,
                effect: Effect::Delete(key),
                condition: None,
                tells_item: false,
                is_legacy: false,
            };
            writes = keys.into_iter().map(delete).collect();
        }
        let token = self.one_in(4).then(|| {
            // An old token seldom comes with the transaction that it had.
            self.tokens += u64::from(!self.one_in(8));
            format!("token-{}", self.tokens)
        });
        Request::TransactWrite(writes, token, self.detail())
    }
}
