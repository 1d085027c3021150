//! Every page and file of the site, by its path.

use std::collections::BTreeMap;

use bytes::Bytes;
use keyplan_model::Model;

use crate::assets::Assets;
use crate::console_page;
use crate::content_type::content_type;
use crate::error::SiteError;
use crate::home_page;
use crate::model_page::ModelPage;

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

impl Site {
    /// Renders every page. `models` are model files: each its name and its text.
    ///
    /// # Errors
    /// When a model's text is no model, two models have one id, or a model can't be set up.
    pub fn build(models: &[(&str, &str)], assets: Assets) -> Result<Site, SiteError> {
        let mut pages = Vec::new();
        for (place, (file, yaml)) in models.iter().enumerate() {
            let model = Model::parse(yaml, file).map_err(SiteError::Model)?;
            pages.push(ModelPage::new(model, place + 1)?);
        }
        let mut files = BTreeMap::new();
        files.insert("index.html".to_owned(), Bytes::from(home_page::render(&pages, &assets)?));
        files.insert("console/index.html".to_owned(), Bytes::from(console_page::render(&assets)?));
        for page in &pages {
            let path = format!("models/{}/index.html", page.id());
            if files.insert(path, Bytes::from(page.render(&assets)?)).is_some() {
                return Err(SiteError::SameId { id: page.id().to_owned() });
            }
        }
        files.extend(assets.into_files());
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
