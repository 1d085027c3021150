//! What a lesson's page needs to know, as JSON for the page to read.

use keyplan_grading::Request;
use serde_json::{Map, Value, json};

use crate::course::Course;
use crate::lesson::{Exercise, Lesson, StatedAnswer};

impl Course {
    /// The data of the page of lesson `number`: `LessonData` in `web/src/contract.ts`. `inspections`
    /// are what the engine's inspections of the set-up tables and then of the indexes show, and `prices` is the
    /// price file: JSON texts.
    ///
    /// The text can stand in an HTML `script` element as it is: it holds no `<`.
    ///
    /// # Errors
    /// When an inspection is no JSON, or a request is none.
    pub fn page_data(
        &self,
        number: usize,
        inspections: &[String],
        prices: Option<&str>,
    ) -> Result<String, serde_json::Error> {
        let Some(lesson) = self.numbered(number) else { return Ok("null".to_owned()) };
        let parsed = |texts: &[String]| -> Result<Vec<Value>, serde_json::Error> {
            texts.iter().map(|json| serde_json::from_str(json)).collect()
        };
        let (tables, indexes) =
            inspections.split_at_checked(lesson.tables.len()).unwrap_or((inspections, &[]));
        let steps = (1..).zip(&lesson.steps).map(|(place, step)| {
            Ok(json!({
                "id": format!("step-{place}"),
                "title": step.title,
                "request": sent(&step.request)?,
                "stated": stated(&step.answer),
            }))
        });
        let prices: Value = serde_json::from_str(prices.unwrap_or(r#"{"prices":[]}"#))?;
        // No error leads to the page that it stands on.
        let mut others = self.addresses("../");
        if let Value::Object(others) = &mut others {
            others.remove(&lesson.slug);
        }
        let data = json!({
            "lesson": self.about(number, lesson),
            "tables": lesson.tables,
            "indexes": lesson
                .indexes
                .iter()
                .map(|(table, index)| json!({ "table": table, "index": index }))
                .collect::<Vec<_>>(),
            "setup": all_sent(&lesson.setup)?,
            "inspections": parsed(tables)?,
            "indexInspections": parsed(indexes)?,
            "patterns": [],
            "steps": steps.collect::<Result<Vec<_>, serde_json::Error>>()?,
            "exercise": exercise(&lesson.exercise)?,
            "lessons": others,
            "prices": prices,
        });
        // In JSON a `<` can only stand in a text, where its escape means the same.
        Ok(data.to_string().replace('<', "\\u003c"))
    }

    /// Each lesson's title and address by its slug, for links from errors; `map` leads to the map of the
    /// course.
    pub fn addresses(&self, map: &str) -> Value {
        let address =
            |lesson: &Lesson| json!({ "title": lesson.title, "href": format!("{map}{}/", lesson.slug) });
        self.lessons()
            .iter()
            .map(|lesson| (lesson.slug.clone(), address(lesson)))
            .collect::<Map<_, _>>()
            .into()
    }

    fn about(&self, number: usize, lesson: &Lesson) -> Value {
        let mut about = Map::new();
        about.insert("id".into(), json!(lesson.slug));
        about.insert("number".into(), json!(number));
        about.insert("of".into(), json!(self.lessons().len()));
        about.insert("title".into(), json!(lesson.title));
        about.insert("chapter".into(), json!(lesson.chapter.title()));
        let neighbours = [("previous", number.checked_sub(1)), ("next", number.checked_add(1))];
        for (name, number) in neighbours {
            if let Some(number) = number
                && let Some(lesson) = self.numbered(number)
            {
                let link = json!({ "id": lesson.slug, "number": number, "title": lesson.title });
                about.insert(name.into(), link);
            }
        }
        Value::Object(about)
    }
}

fn exercise(exercise: &Exercise) -> Result<Value, serde_json::Error> {
    Ok(json!({
        "id": "exercise",
        "title": exercise.title,
        "starts": all_sent(&exercise.start)?,
        "several": exercise.takes_several(),
        "contract": exercise.contract(),
        "hints": exercise.hints.len(),
        "grading": serde_json::from_str::<Value>(&exercise.grading.to_json())?,
    }))
}

fn all_sent(requests: &[Request]) -> Result<Vec<Value>, serde_json::Error> {
    requests.iter().map(sent).collect()
}

fn sent(request: &Request) -> Result<Value, serde_json::Error> {
    Ok(json!({ "target": request.target, "body": serde_json::from_str::<Value>(&request.body)? }))
}

fn stated(answer: &StatedAnswer) -> Value {
    let mut members = Map::new();
    let mut insert = |name: &str, value: Option<Value>| {
        if let Some(value) = value {
            members.insert(name.to_owned(), value);
        }
    };
    insert("examined", answer.examined.map(|count| json!(count)));
    insert("returned", answer.returned.map(|count| json!(count)));
    insert("read", answer.read.map(|units| json!(units.as_f64())));
    insert("write", answer.write.map(|units| json!(units.as_f64())));
    insert("lastEvaluatedKey", answer.last_evaluated_key.map(|is_there| json!(is_there)));
    insert("error", answer.error.as_ref().map(|error| json!(error)));
    Value::Object(members)
}

impl Exercise {
    /// Whether an answer is several requests.
    pub fn takes_several(&self) -> bool {
        self.start.len() > 1 || self.solutions.iter().any(|solution| solution.len() > 1)
    }

    /// What is checked, line by line, in words.
    pub fn contract(&self) -> Vec<String> {
        let checks = &self.grading.checks;
        let mut lines = self.goals.clone();
        if let Some(count) = self.returned {
            let order = checks.returned.as_ref().and_then(|returned| returned.order.as_ref());
            lines.push(format!("Items: {count}{}", if order.is_some() { ", in order" } else { "" }));
        }
        let halves = |halves: u64| keyplan_model::Units::halves(halves).to_string();
        if let Some(read) = checks.read_halves {
            lines.push(format!("Cost: at most {} read units", halves(read)));
        }
        if let Some(write) = checks.write_halves {
            lines.push(format!("Cost: at most {} write units", halves(write)));
        }
        if let Some(examined) = checks.examined {
            lines.push(format!("Items read: at most {examined}"));
        }
        if let Some(requests) = checks.requests {
            lines.push(format!("Requests: at most {requests}"));
        }
        if !checks.operations.is_empty() {
            lines.push(format!("With {}", checks.operations.join(", ")));
        }
        lines.extend(checks.table.clone());
        if self.grading.hidden.is_some() {
            lines.push("Also run on hidden data".to_owned());
        }
        lines
    }
}
