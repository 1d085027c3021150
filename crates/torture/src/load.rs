//! Clients that write and read the groups at the same time, and note what they do.

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::thread;

use fastrand::Rng;
use serde_json::{Value, json};

use crate::history::{Action, Event, KEYS, State};
use crate::service::Service;
use crate::table::{self, NAME};

/// What the clients of a run share.
#[derive(Debug, Default)]
pub struct Shared {
    /// Orders sendings and answers.
    moments: AtomicU64,
    /// The last request's number.
    numbers: AtomicU64,
    /// How many requests were answered.
    pub answered: AtomicU64,
    /// Whether no more are to be sent.
    pub stopping: AtomicBool,
}

impl Shared {
    /// The next moment.
    pub fn moment(&self) -> u64 {
        self.moments.fetch_add(1, Ordering::SeqCst)
    }
}

/// What each client does.
#[derive(Debug, Clone, Copy)]
pub struct Load {
    /// Groups of items.
    pub groups: usize,
    /// Requests of each client; without a number they go on until they are stopped.
    pub requests: Option<u64>,
    /// Where chance begins.
    pub seed: u64,
}

/// What was done, each with its group.
pub type Events = Vec<(usize, Event)>;

/// Has each service used by a client of its own, all at once, and gives what they did.
///
/// # Errors
/// When an answer is none that a client can get; in words.
pub fn run(services: Vec<Box<dyn Service>>, load: Load, shared: &Shared) -> Result<Events, String> {
    thread::scope(|scope| {
        let clients: Vec<_> = services
            .into_iter()
            .zip(0..)
            .map(|(service, number)| {
                let rng = Rng::with_seed(load.seed.wrapping_mul(1_000_003).wrapping_add(number));
                let client = Client {
                    service,
                    load,
                    shared,
                    rng,
                    known: vec![[None; KEYS]; load.groups],
                    events: Vec::new(),
                };
                scope.spawn(move || client.run())
            })
            .collect();
        let mut events = Vec::new();
        for client in clients {
            events.extend(client.join().map_err(|_| "a client panicked".to_owned())??);
        }
        Ok(events)
    })
}

/// Reads all groups, as an event of each.
///
/// # Errors
/// When it can't be read.
pub fn read(
    service: &mut dyn Service,
    groups: usize,
    shared: &Shared,
) -> Result<(Vec<State>, Events), String> {
    let (mut states, mut events) = (Vec::new(), Vec::new());
    for group in 0..groups {
        let (number, sent) = (shared.numbers.fetch_add(1, Ordering::Relaxed), shared.moment());
        let answer = table::call(service, "TransactGetItems", &table::get_all(group))?;
        let answer = table::state(&answer)?;
        let answered = Some(shared.moment());
        states.push(answer);
        events.push((group, Event { number, sent, answered, action: Action::GetAll { answer } }));
    }
    Ok((states, events))
}

struct Client<'r> {
    service: Box<dyn Service>,
    load: Load,
    shared: &'r Shared,
    rng: Rng,
    /// Who wrote each item last, as far as this client has seen.
    known: Vec<[Option<u64>; KEYS]>,
    events: Events,
}

/// What an answer comes to.
enum Answer {
    Done(Value),
    /// A condition did not hold.
    Refused,
    /// None came.
    None,
}

impl Client<'_> {
    fn run(mut self) -> Result<Events, String> {
        let mut left = self.load.requests;
        while left != Some(0) && !self.shared.stopping.load(Ordering::Relaxed) {
            left = left.map(|left| left - 1);
            if !self.request()? {
                break;
            }
            self.shared.answered.fetch_add(1, Ordering::Relaxed);
        }
        Ok(self.events)
    }

    /// Sends one request; whether an answer came.
    fn request(&mut self) -> Result<bool, String> {
        let number = self.shared.numbers.fetch_add(1, Ordering::Relaxed);
        let group = self.rng.usize(..self.load.groups);
        let key = self.rng.usize(..KEYS);
        match self.rng.u32(..100) {
            0..12 => self.put(group, key, number),
            12..16 => self.delete(group, key, number),
            16..36 => self.add(group, key, number),
            36..48 => self.swap(group, key, number),
            48..58 => self.put_all(group, number),
            58..70 => self.move_between(group, key, number),
            70..74 => self.batch(number),
            74..86 => self.get(group, key, number),
            _ => self.get_all(group, number),
        }
    }

    fn send(&mut self, operation: &str, body: &Value) -> Result<(u64, Answer), String> {
        let text = body.to_string();
        let sent = self.shared.moment();
        let answer = match self.service.call(operation, &text) {
            Some((200, answer)) => Answer::Done(answer),
            Some((400, answer)) if is_refusal(&answer) => Answer::Refused,
            Some((status, answer)) => {
                return Err(format!("{operation} {text} is answered {status} {answer}"));
            }
            None if self.shared.stopping.load(Ordering::SeqCst) => Answer::None,
            None => return Err(format!("{operation} {text} is not answered, and nobody was killed")),
        };
        Ok((sent, answer))
    }

    /// Notes what was done; whether an answer came.
    fn note(&mut self, group: usize, number: u64, sent: u64, answer: &Answer, action: Action) -> bool {
        let has_answer = !matches!(answer, Answer::None);
        let answered = has_answer.then(|| self.shared.moment());
        if has_answer {
            let event = Event { number, sent, answered, action };
            for key in event.keys_written() {
                self.known[group][key] = Some(number);
            }
        }
        self.events.push((group, Event { number, sent, answered, action }));
        has_answer
    }

    fn put(&mut self, group: usize, key: usize, number: u64) -> Result<bool, String> {
        let body = json!({"TableName": NAME, "Item": table::item(group, key, number)});
        let (sent, answer) = self.send("PutItem", &body)?;
        Ok(self.note(group, number, sent, &answer, Action::Put { key }))
    }

    fn delete(&mut self, group: usize, key: usize, number: u64) -> Result<bool, String> {
        let body = json!({"TableName": NAME, "Key": table::key(group, key)});
        let (sent, answer) = self.send("DeleteItem", &body)?;
        let has_answer = self.note(group, number, sent, &answer, Action::Delete { key });
        self.known[group][key] = None;
        Ok(has_answer)
    }

    fn add(&mut self, group: usize, key: usize, number: u64) -> Result<bool, String> {
        let by = self.rng.i64(1..4);
        let mut body = update(group, key, number, "ADD n :by");
        body["ExpressionAttributeValues"][":by"] = json!({"N": by.to_string()});
        body["ReturnValues"] = json!("ALL_NEW");
        let (sent, answer) = self.send("UpdateItem", &body)?;
        let counted = match &answer {
            Answer::Done(answer) => {
                let cell = table::cell(&answer["Attributes"])?.filter(|cell| cell.written_by == number);
                Some(cell.ok_or_else(|| format!("request {number} is answered {answer}"))?.count)
            }
            Answer::Refused => return Err(format!("{body} has no condition and was refused")),
            Answer::None => None,
        };
        Ok(self.note(group, number, sent, &answer, Action::Add { key, by, answer: counted }))
    }

    fn swap(&mut self, group: usize, key: usize, number: u64) -> Result<bool, String> {
        let expected = self.known[group][key];
        let mut body = update(group, key, number, "SET n = if_not_exists(n, :zero)");
        body["ExpressionAttributeValues"][":zero"] = json!({"N": "0"});
        match expected {
            Some(expected) => {
                body["ConditionExpression"] = json!("v = :expected");
                body["ExpressionAttributeValues"][":expected"] = json!({"N": expected.to_string()});
            }
            None => body["ConditionExpression"] = json!("attribute_not_exists(v)"),
        }
        let (sent, answer) = self.send("UpdateItem", &body)?;
        let held = held(&answer);
        Ok(self.note(group, number, sent, &answer, Action::Swap { key, expected, answer: held }))
    }

    fn put_all(&mut self, group: usize, number: u64) -> Result<bool, String> {
        let put = |key| json!({"Put": {"TableName": NAME, "Item": table::item(group, key, number)}});
        let puts: Vec<Value> = (0..KEYS).map(put).collect();
        let (sent, answer) = self.send("TransactWriteItems", &json!({"TransactItems": puts}))?;
        Ok(self.note(group, number, sent, &answer, Action::PutAll))
    }

    fn move_between(&mut self, group: usize, from: usize, number: u64) -> Result<bool, String> {
        let (to, by) = ((from + self.rng.usize(1..KEYS)) % KEYS, self.rng.i64(1..3));
        let add = |key, by: i64| {
            let mut update = update(group, key, number, "ADD n :by");
            update["ExpressionAttributeValues"][":by"] = json!({"N": by.to_string()});
            update
        };
        let mut taken = add(from, -by);
        taken["ConditionExpression"] = json!("n >= :enough");
        taken["ExpressionAttributeValues"][":enough"] = json!({"N": by.to_string()});
        let body = json!({"TransactItems": [{"Update": taken}, {"Update": add(to, by)}]});
        let (sent, answer) = self.send("TransactWriteItems", &body)?;
        let held = held(&answer);
        Ok(self.note(group, number, sent, &answer, Action::Move { from, to, by, answer: held }))
    }

    /// Puts items of several groups, each a request of its own but for its number.
    fn batch(&mut self, number: u64) -> Result<bool, String> {
        let first = self.rng.usize(..self.load.groups);
        let count = self.rng.usize(1..=4.min(self.load.groups));
        let places: Vec<(usize, usize)> =
            (0..count).map(|at| ((first + at) % self.load.groups, self.rng.usize(..KEYS))).collect();
        let put = |(group, key): &(usize, usize)| json!({"PutRequest": {"Item": table::item(*group, *key, number)}});
        let requests: Vec<Value> = places.iter().map(put).collect();
        let (sent, answer) = self.send("BatchWriteItem", &json!({"RequestItems": {NAME: requests}}))?;
        if let Answer::Done(answer) = &answer
            && answer["UnprocessedItems"].as_object().is_some_and(|left| !left.is_empty())
        {
            return Err(format!("a batch was left unprocessed: {answer}"));
        }
        let mut has_answer = false;
        for (group, key) in places {
            has_answer = self.note(group, number, sent, &answer, Action::Put { key });
        }
        Ok(has_answer)
    }

    fn get(&mut self, group: usize, key: usize, number: u64) -> Result<bool, String> {
        // Without the weather a read that may be behind is not.
        let is_consistent = self.rng.bool();
        let body = json!({"TableName": NAME, "Key": table::key(group, key), "ConsistentRead": is_consistent});
        let (sent, answer) = self.send("GetItem", &body)?;
        let Answer::Done(found) = &answer else { return Ok(false) };
        let cell = table::cell(&found["Item"])?;
        self.known[group][key] = cell.map(|cell| cell.written_by);
        Ok(self.note(group, number, sent, &answer, Action::Get { key, answer: cell }))
    }

    fn get_all(&mut self, group: usize, number: u64) -> Result<bool, String> {
        let (sent, answer) = self.send("TransactGetItems", &table::get_all(group))?;
        let Answer::Done(found) = &answer else { return Ok(false) };
        let state = table::state(found)?;
        self.known[group] = state.map(|cell| cell.map(|cell| cell.written_by));
        Ok(self.note(group, number, sent, &answer, Action::GetAll { answer: state }))
    }
}

/// Whether a condition held, as far as it was answered.
fn held(answer: &Answer) -> Option<bool> {
    match answer {
        Answer::Done(_) => Some(true),
        Answer::Refused => Some(false),
        Answer::None => None,
    }
}

/// Whether an answer says that a condition, and nothing else, did not hold.
fn is_refusal(answer: &Value) -> bool {
    let kind = answer["__type"].as_str().unwrap_or_default();
    let reasons = answer["CancellationReasons"].as_array();
    let is_reason =
        |reason: &Value| matches!(reason["Code"].as_str(), Some("None" | "ConditionalCheckFailed"));
    kind.ends_with("#ConditionalCheckFailedException")
        || (kind.ends_with("#TransactionCanceledException")
            && reasons.is_some_and(|reasons| reasons.iter().all(is_reason)))
}

/// An update that leaves the request's number, and does something with the counter.
fn update(group: usize, key: usize, number: u64, counts: &str) -> Value {
    let written = table::written(number);
    let sets = "v = :v, mark = :mark, vector = :vector, #ttl = :ttl";
    let expression = match counts.strip_prefix("SET ") {
        Some(more) => format!("SET {sets}, {more}"),
        None => format!("SET {sets} {counts}"),
    };
    json!({
        "TableName": NAME, "Key": table::key(group, key), "UpdateExpression": expression,
        "ExpressionAttributeNames": {"#ttl": "ttl"},
        "ExpressionAttributeValues": {
            ":v": written["v"], ":mark": written["mark"], ":vector": written["vector"], ":ttl": written["ttl"],
        },
    })
}
