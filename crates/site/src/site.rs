//! Every page and file of the site, by its path.

use std::collections::BTreeMap;

use bytes::Bytes;
use keyplan_course::Course;
use keyplan_model::Model;
use keyplan_prices::Prices;

use crate::assets::Assets;
use crate::content::Content;
use crate::content_type::content_type;
use crate::course_page;
use crate::course_texts;
use crate::error::SiteError;
use crate::layout::Frame;
use crate::lesson_page::LessonPage;
use crate::model_page::{ModelPage, PriceList};
use crate::offline;
use crate::{console_page, gallery_page, home_page, not_found_page, statement_page};

/// What static hosts show where no page is.
pub(crate) const NOT_FOUND: &str = "404.html";

/// A page or file as it is served.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Page {
    /// Its media type.
    pub content_type: &'static str,
    /// Its content.
    pub bytes: Bytes,
}

/// The whole site.
#[derive(Debug, Clone)]
pub struct Site {
    /// By path without a leading slash, as it stands in a folder: `models/shop/index.html`.
    files: BTreeMap<String, Bytes>,
}

/// Whose work is in Keyplan beside our own, under which licences, with their texts. `cargo xtask licences` writes it.
pub const THIRD_PARTY: &str = include_str!("../third-party.txt");

const THIRD_PARTY_PATH: &str = "third-party.txt";

impl Site {
    /// Renders every page.
    ///
    /// # Errors
    /// When a text is no model, no lesson or no price file, two have one id, or one can't be set up.
    pub fn build(content: &Content<'_>, assets: Assets) -> Result<Site, SiteError> {
        let read = content.prices.map(Prices::parse).transpose().map_err(SiteError::Prices)?;
        let prices = PriceList { text: content.prices, read: read.as_ref() };
        let course = Course::parse(content.lessons).map_err(SiteError::Course)?;
        let mut pages = Vec::new();
        for (place, (file, yaml)) in content.models.iter().enumerate() {
            let model = Model::parse(yaml, file).map_err(SiteError::Model)?;
            pages.push(ModelPage::new(model, place + 1, prices, &course)?);
        }
        let trial = match content.home {
            Some((file, yaml)) => {
                home_page::Trial::new(Model::parse(yaml, file).map_err(SiteError::Model)?, prices, &course)?
            }
            None => None,
        };
        let frame = Frame { assets: &assets, stated: content.statement.is_some() };
        let mut files = BTreeMap::new();
        let mut add = |path: &str, text: String| files.insert(path.to_owned(), Bytes::from(text));
        add("index.html", home_page::render(&pages, trial.as_ref(), course.lessons().len(), frame)?);
        add("models/index.html", gallery_page::render(&pages, frame)?);
        add("console/index.html", console_page::render(content.prices, &course, frame)?);
        add(NOT_FOUND, not_found_page::render(frame)?);
        if let Some(statement) = content.statement {
            add("what-this-is/index.html", statement_page::render(statement, frame)?);
        }
        add(THIRD_PARTY_PATH, THIRD_PARTY.to_owned());
        for page in &pages {
            if add(&format!("models/{}/index.html", page.id()), page.render(&course, frame)?).is_some() {
                return Err(SiteError::SameId { id: page.id().to_owned() });
            }
        }
        let models: Vec<&Model> = pages.iter().map(ModelPage::model).collect();
        files.extend(course_files(&course, &models, prices.text, frame)?);
        files.extend(assets.into_files());
        offline::name_files(&mut files);
        Ok(Site { files })
    }

    /// The page at a path of the site, such as `/models/customer-orders/`.
    pub fn page(&self, path: &str) -> Option<Page> {
        let path = path.strip_prefix('/').unwrap_or(path);
        let (name, bytes) = if path.is_empty() || path.ends_with('/') {
            self.files.get_key_value(format!("{path}index.html").as_str())?
        } else {
            self.files.get_key_value(path)?
        };
        Some(Page { content_type: content_type(name), bytes: bytes.clone() })
    }

    /// Every file of the site with its path in a folder, for writing it out.
    pub fn files(&self) -> impl Iterator<Item = (&str, &Bytes)> {
        self.files.iter().map(|(path, bytes)| (path.as_str(), bytes))
    }
}

/// The course: its map, its lessons, and the texts of everything.
fn course_files(
    course: &Course,
    models: &[&Model],
    prices: Option<&str>,
    frame: Frame<'_>,
) -> Result<Vec<(String, Bytes)>, SiteError> {
    let pages =
        (1..).zip(course.lessons()).map(|(number, lesson)| LessonPage::new(course, number, lesson, prices));
    let pages = pages.collect::<Result<Vec<_>, _>>()?;
    let mut files = vec![
        ("course/index.html".to_owned(), Bytes::from(course_page::render(course, &pages, frame)?)),
        ("llms.txt".to_owned(), Bytes::from(course_texts::index(course, models))),
        ("llms-full.txt".to_owned(), Bytes::from(course_texts::full(course, models))),
    ];
    for page in &pages {
        let path = format!("course/{}/index.html", page.slug());
        files.push((path, Bytes::from(page.render(models, frame)?)));
    }
    Ok(files)
}
