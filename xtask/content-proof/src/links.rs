//! Where the site's links lead: every page and every anchor that is named must be there.

use keyplan_course::Course;
use keyplan_model::Model;
use keyplan_site::Site;

use crate::report::Report;

/// Checks the links that files name, and those of the rendered pages.
pub(crate) fn prove(course: &Course, models: &[Model], site: &Site, report: &mut Report) {
    let lesson_is_there = |slug: &str| course.lesson(slug).is_some();
    for lesson in course.lessons() {
        let place = format!("{}.yaml", lesson.slug);
        for slug in lesson.lessons.iter().filter(|slug| !lesson_is_there(slug)) {
            report.failed_at(&place, format!("links: there is no lesson `{slug}`"));
        }
        for id in lesson.models.iter().filter(|id| models.iter().all(|model| model.id != **id)) {
            report.failed_at(&place, format!("links: there is no model `{id}`"));
        }
    }
    for model in models {
        for slug in model.lessons.iter().filter(|slug| !lesson_is_there(slug)) {
            report.failed_at(&format!("{}.yaml", model.id), format!("lessons: there is no lesson `{slug}`"));
        }
    }
    let pages = site.files().filter(|(path, _)| path.ends_with(".html"));
    let mut count = 0;
    for (path, bytes) in pages {
        let html = String::from_utf8_lossy(bytes);
        for link in values(&html, "href=\"") {
            count += 1;
            if let Some(fault) = fault(site, path, &html, link) {
                report.failed_at(path, fault);
            }
        }
    }
    println!("pages: {count} links");
    report.passed(count);
}

/// What is wrong with a link of a page, if anything is.
fn fault(site: &Site, page: &str, html: &str, link: &str) -> Option<String> {
    if link.starts_with("https://") || link.starts_with("data:") {
        return None;
    }
    let (path, anchor) = link.split_once('#').map_or((link, None), |(path, anchor)| (path, Some(anchor)));
    let Some(target) = resolved(page, path) else {
        return Some(format!("the link {link} leads out of the site"));
    };
    let found = site.page(&target);
    let text = match (&found, path.is_empty()) {
        (_, true) => html.to_owned(),
        (Some(page), false) => String::from_utf8_lossy(&page.bytes).into_owned(),
        (None, false) => return Some(format!("the link {link} leads nowhere")),
    };
    let anchor = anchor.filter(|anchor| !anchor.is_empty())?;
    let is_there = values(&text, " id=\"").any(|id| id == anchor);
    (!is_there).then(|| format!("the link {link} names an anchor that is not there"))
}

/// The path of the site that a relative path of a page means; none outside it.
fn resolved(page: &str, path: &str) -> Option<String> {
    let mut parts: Vec<&str> = page.split('/').collect();
    parts.pop();
    let ends_in_folder = path.ends_with('/') || path.ends_with("./") || path.is_empty();
    for part in path.split('/') {
        match part {
            "" | "." => {}
            ".." => {
                parts.pop()?;
            }
            name => parts.push(name),
        }
    }
    let joined = parts.join("/");
    Some(if ends_in_folder && !joined.is_empty() { format!("/{joined}/") } else { format!("/{joined}") })
}

/// What stands between each `opening` and the next quote.
fn values<'h>(html: &'h str, opening: &'static str) -> impl Iterator<Item = &'h str> {
    html.split(opening).skip(1).filter_map(|rest| Some(rest.split_once('"')?.0))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn relative_paths_are_resolved_within_the_site() {
        assert_eq!(
            resolved("course/pages/index.html", "../newest-first/").as_deref(),
            Some("/course/newest-first/")
        );
        assert_eq!(resolved("course/pages/index.html", "../.././").as_deref(), Some("/"));
        assert_eq!(resolved("course/pages/index.html", "../../a.css").as_deref(), Some("/a.css"));
        assert_eq!(resolved("index.html", "../x/"), None);
    }

    #[test]
    fn quoted_values_are_found() {
        let html = r#"<a href="../x/">x</a><h2 id="h">y</h2>"#;
        assert_eq!(values(html, "href=\"").collect::<Vec<_>>(), ["../x/"]);
        assert_eq!(values(html, " id=\"").collect::<Vec<_>>(), ["h"]);
    }
}
