//! The site as a host serves it: pages that say what the models say, files with their types, and
//! addresses that hold under any path.

use bytes::Bytes;
use keyplan_site::{Assets, CONTENT_SECURITY_POLICY, Content, Site, SiteError, Statement, StatementTopic};

const PRICES: &str = include_str!("../../../content/prices.json");
const HOME: &str = include_str!("../../../content/home.yaml");
const URL_SHORTENER: &str = include_str!("../../../content/models/url-shortener.yaml");
const FILTERS: &str = include_str!("../../../content/course/06-a-filter-is-no-index.yaml");
const PAGES_OF_ANSWERS: &str = include_str!("../../../content/course/08-pages.yaml");
const CUSTOMER_ORDERS: &str = include_str!("../../../content/models/customer-orders.yaml");

fn assets() -> Assets {
    let files = [
        (
            "manifest.json",
            r#"{"src/main.ts":{"file":"assets/main-1.js","isEntry":true,"css":["assets/main-1.css"]}}"#,
        ),
        ("assets/main-1.js", "export {};"),
        ("assets/main-1.css", "body {}"),
        ("assets/engine-1.wasm", "\0asm"),
        ("theme.js", ""),
        ("service-worker.js", "listen();"),
    ];
    let files = files.map(|(path, content)| (path.to_owned(), Bytes::from_static(content.as_bytes())));
    Assets::new(files).expect("a whole build")
}

fn site() -> Site {
    let statement = Statement {
        topics: vec![StatementTopic {
            topic: "tables".into(),
            about: "Tables by name.".into(),
            passed: 7,
            failed: vec!["a table that is not there".into()],
        }],
        not_built: vec!["ExecuteStatement".into()],
        differences: "# Title\n\n## By design\n\n| what | here |\n|---|---|\n| Account | none |\n".into(),
    };
    let content = Content {
        models: &[("customer-orders.yaml", CUSTOMER_ORDERS), ("url-shortener.yaml", URL_SHORTENER)],
        lessons: &[],
        home: Some(("home.yaml", HOME)),
        prices: Some(PRICES),
        statement: Some(&statement),
    };
    Site::build(&content, assets()).unwrap_or_else(|error| panic!("{error}"))
}

/// A site of one model.
fn site_of(file: &str, yaml: &str) -> Site {
    let content = Content { models: &[(file, yaml)], ..Content::default() };
    Site::build(&content, Assets::none()).unwrap_or_else(|error| panic!("{error}"))
}

/// Every kind of page.
const PAGES: [&str; 7] = [
    "/",
    "/models/",
    "/models/customer-orders/",
    "/models/url-shortener/",
    "/console/",
    "/what-this-is/",
    "/404.html",
];

fn text(site: &Site, path: &str) -> String {
    let page = site.page(path).unwrap_or_else(|| panic!("{path} is there"));
    String::from_utf8(page.bytes.to_vec()).expect("UTF-8")
}

/// A page's data, as its scripts read it.
fn data(page: &str) -> serde_json::Value {
    let (_, rest) = page.split_once(r#"<script type="application/json" id="page-data">"#).expect("the data");
    let (json, _) = rest.split_once("</script>").expect("its end");
    serde_json::from_str(json).expect("JSON")
}

#[test]
fn a_model_page_shows_the_table_before_the_first_request() {
    let site = site();
    let page = text(&site, "/models/customer-orders/");
    let data = data(&page);
    let partitions = data["inspections"][0]["partitions"].as_array().expect("partitions");
    assert!(!partitions.is_empty());
    for partition in partitions {
        let key = partition["partitionKey"]["pk"]["S"].as_str().expect("a text key");
        assert!(page.contains(&format!("<h3>{key}</h3>")), "the plan has a room for {key}");
        for item in partition["items"].as_array().expect("items") {
            let sort = item["item"]["sk"]["S"].as_str().expect("a text key");
            assert!(page.contains(&format!(r#"<th scope="row">{sort}</th>"#)), "the plan has {key}, {sort}");
        }
    }
    for pattern in data["patterns"].as_array().expect("patterns") {
        let question = pattern["question"].as_str().expect("a question");
        assert!(page.contains(&format!(r#"aria-label="Run: {question}""#)), "{question} is an entry");
    }
    assert!(page.contains("Run a request."), "the receipt invites");
}

#[test]
fn rooms_stand_in_the_order_of_their_hashes() {
    let data = data(&text(&site(), "/models/customer-orders/"));
    let hashes: Vec<&str> = data["inspections"][0]["partitions"]
        .as_array()
        .expect("partitions")
        .iter()
        .filter_map(|partition| partition["hash"].as_str())
        .collect();
    assert!(hashes.is_sorted(), "{hashes:?}");
}

/// A design of two tables: each is in the page's data, both are named, and the first is drawn.
#[test]
fn a_design_of_several_tables_carries_them_all() {
    let yaml = CUSTOMER_ORDERS
        .replace("\nentities:\n", "\n  Stock: { key: { partition: sku } }\n\nentities:\n  Shelf: { table: Stock, key: { sku: \"<sku>\" }, attributes: { left: N } }\n")
        .replace("\nitems:\n", "\nitems:\n  - Shelf: { sku: lamp, left: 4 }\n");
    let site = site_of("orders.yaml", &yaml);
    let page = text(&site, "/models/orders/");
    let data = data(&page);
    assert_eq!(data["tables"], serde_json::json!(["Shop", "Stock"]));
    let tables: Vec<&serde_json::Value> =
        data["inspections"].as_array().expect("a list").iter().map(|table| &table["table"]).collect();
    assert_eq!(tables, ["Shop", "Stock"]);
    assert_eq!(data["inspections"][1]["partitions"][0]["items"][0]["item"]["left"]["N"], "4");
    assert!(
        page.contains("<dt>Tables</dt><dd>Shop, 7 partitions; Stock, 1 partition</dd>"),
        "both are named"
    );
    assert!(page.contains(r#"<h2 id="plan-h">Shop</h2>"#), "the first is drawn");
    assert!(page.contains(r#"aria-pressed="false" disabled>Stock</button>"#), "the second can be chosen");
}

#[test]
fn fields_are_labelled_in_words() {
    let page = text(&site(), "/models/customer-orders/");
    assert!(page.contains(r#"<label class="field">Customer id<span"#), "customerId is a label in words");
    let data = data(&page);
    assert_eq!(data["patterns"][0]["parameters"][0]["label"], "Customer id");
}

#[test]
fn pages_carry_the_policy_and_nothing_inline() {
    let site = site();
    let quoted = CONTENT_SECURITY_POLICY.replace('\'', "&#39;");
    for path in PAGES {
        let page = text(&site, path);
        assert!(
            page.contains(&format!(r#"http-equiv="Content-Security-Policy" content="{quoted}""#)),
            "{path}"
        );
        assert!(!page.contains("style=\"") && !page.contains("<style"), "{path} has no inline style");
        assert!(!page.contains(" onclick=") && !page.contains("<script>"), "{path} has no inline script");
    }
}

#[test]
fn addresses_are_relative_and_lead_to_files() {
    let site = site();
    for path in PAGES {
        let folder = path.trim_matches('/');
        let folder = if folder.ends_with(".html") { "" } else { folder };
        let page = text(&site, path);
        let addresses = page.split(['"']).zip(page.split(['"']).skip(1)).filter_map(|(before, address)| {
            (before.ends_with(" href=") || before.ends_with(" src=")).then_some(address)
        });
        for address in addresses.filter(|address| !address.starts_with('#')) {
            assert!(!address.starts_with('/') && !address.contains("://"), "{path}: {address} is relative");
            if address.ends_with(".svg") {
                continue;
            }
            let mut at: Vec<&str> = folder.split('/').filter(|part| !part.is_empty()).collect();
            for part in address.split('/') {
                match part {
                    ".." => drop(at.pop()),
                    "." | "" => {}
                    part => at.push(part),
                }
            }
            let end = if address.ends_with('/') && !at.is_empty() { "/" } else { "" };
            let target = format!("/{}{end}", at.join("/"));
            assert!(site.page(&target).is_some(), "{path}: {address} leads to {target}");
        }
    }
}

#[test]
fn files_have_their_types() {
    let site = site();
    let kind = |path: &str| site.page(path).map(|page| page.content_type);
    assert_eq!(kind("/assets/engine-1.wasm"), Some("application/wasm"));
    assert_eq!(kind("/assets/main-1.css"), Some("text/css; charset=utf-8"));
    assert_eq!(kind("/"), Some("text/html; charset=utf-8"));
    for path in ["/manifest.json", "/models", "/models/customer-orders", "/../Cargo.toml", "/nothing"] {
        assert_eq!(kind(path), None, "{path}");
    }
}

#[test]
fn what_is_served_is_what_is_written_out() {
    let site = site();
    let files: Vec<(&str, &Bytes)> = site.files().collect();
    assert!(files.iter().any(|(path, _)| *path == "models/customer-orders/index.html"));
    for (path, bytes) in files {
        assert_eq!(site.page(&format!("/{path}")).map(|page| page.bytes).as_ref(), Some(bytes), "{path}");
    }
}

#[test]
fn text_of_a_model_is_text_on_the_page() {
    let yaml = CUSTOMER_ORDERS
        .replace("title: Customer orders", "title: <b>Orders</b> & \"more\"")
        .replace("fullName: Ines Duarte", "fullName: \"</script><script>x\"");
    let site = site_of("orders.yaml", &yaml);
    let page = text(&site, "/models/orders/");
    assert!(!page.contains("</script><script>x"), "an item's text ends no script");
    assert!(text(&site, "/").contains("&#60;b&#62;Orders"), "a title's markup is text");
    assert_eq!(data(&page)["setup"][1]["body"]["Item"]["fullName"]["S"], "</script><script>x");
}

#[test]
fn what_is_wrong_is_said() {
    let build =
        |models: &[(&str, &str)]| Site::build(&Content { models, ..Content::default() }, Assets::none());
    let model = ("orders.yaml", CUSTOMER_ORDERS);
    assert!(matches!(
        build(&[model, ("other/orders.yaml", CUSTOMER_ORDERS)]),
        Err(SiteError::SameId { id }) if id == "orders"
    ));
    assert!(matches!(build(&[("bad.yaml", "keyplan: 1")]), Err(SiteError::Model(_))));
    assert!(matches!(Assets::new([]), Err(SiteError::Manifest { .. })));
}

#[test]
fn a_counter_design_stands_beside_the_design_with_its_receipt() {
    let page = text(&site(), "/models/customer-orders/");
    for title in ["This design", "Counter-design"] {
        assert!(
            page.contains(&format!(r#"<section class="receipt" aria-label="Receipt: {title}">"#)),
            "{title}"
        );
    }
    assert!(page.contains(r#"<p class="ratio">2 <span aria-hidden="true">×</span>"#), "twice the cost");
    for price in ["<b>$0.0625</b>", "<b>$0.125</b>"] {
        assert!(page.contains(price), "{price}");
    }
    for said in ["2 examined, 2 returned", "47 examined, 2 returned"] {
        assert!(page.contains(said), "{said}");
    }
}

#[test]
fn a_page_names_its_indexes_and_carries_the_prices() {
    let page = text(&site(), "/models/url-shortener/");
    let data = data(&page);
    assert_eq!(data["indexes"], serde_json::json!([{ "table": "Links", "index": "ByOwner" }]));
    assert_eq!(data["prices"], serde_json::from_str::<serde_json::Value>(PRICES).expect("JSON"));
    assert!(page.contains("Holds the keys and target"), "what the index holds");
    assert!(page.contains("ByOwner: #partition = :partition, descending, limit 5"), "how it is asked");
}

#[test]
fn the_gallery_lists_every_design_in_its_category() {
    let page = text(&site(), "/models/");
    assert!(page.contains(r#"<a href="customer-orders/">"#) && page.contains(r#"<a href="url-shortener/">"#));
    assert!(page.contains(r#"<h2 id="commerce">Commerce</h2>"#), "a category");
}

#[test]
fn the_home_page_runs_a_request_right_there() {
    let page = text(&site(), "/");
    let data = data(&page);
    assert_eq!(data["patterns"].as_array().map(Vec::len), Some(2), "two ways to ask");
    for pattern in data["patterns"].as_array().expect("patterns") {
        let name = pattern["question"].as_str().expect("a name");
        assert!(page.contains(&format!(r#"<th scope="row">{name}</th>"#)), "{name}");
    }
    assert!(page.contains("a million of these"), "its receipt");
}

#[test]
fn the_statement_says_what_passed_what_failed_and_what_is_not_built() {
    let site = site();
    let page = text(&site, "/what-this-is/");
    for said in ["Tables by name.", "a table that is not there", "ExecuteStatement", "<td>Account</td>"] {
        assert!(page.contains(said), "{said}");
    }
    for path in PAGES {
        assert!(text(&site, path).contains("what-this-is/\">What this is"), "{path} links it");
    }
}

#[test]
fn the_console_begins_without_tables_and_knows_prices() {
    let page = text(&site(), "/console/");
    assert!(page.contains(r#"{"tables":[],"setup":[],"patterns":[],"inspections":[],"prices":{"#), "{page}");
    assert!(page.contains("PutItem"), "the operations that the engine has: {page}");
}

#[test]
fn the_service_worker_knows_every_file_of_this_build() {
    let site = site();
    let script = text(&site, "/service-worker.js");
    let known = script.strip_prefix("self.PRECACHE=").and_then(|rest| rest.strip_suffix(";\nlisten();"));
    let known: serde_json::Value =
        serde_json::from_str(known.expect("the files, then the worker")).expect("JSON");
    let named: Vec<&str> = known["files"].as_object().expect("files").keys().map(String::as_str).collect();
    let others: Vec<&str> = site
        .files()
        .map(|(path, _)| path)
        .filter(|path| !["service-worker.js", "404.html"].contains(path))
        .collect();
    assert_eq!(named, others);
}

#[test]
fn a_lesson_has_its_words_in_the_page_and_what_runs_in_its_data() {
    let lessons = [("06-a-filter-is-no-index.yaml", FILTERS), ("08-pages.yaml", PAGES_OF_ANSWERS)];
    let content = Content { lessons: &lessons, prices: Some(PRICES), ..Content::default() };
    let site = Site::build(&content, assets()).unwrap_or_else(|error| panic!("{error}"));
    let page = text(&site, "/course/a-filter-is-no-index/");
    let (_, rest) = page.split_once(r#"id="lesson-data">"#).expect("the data");
    let (json, _) = rest.split_once("</script>").expect("its end");
    let data: serde_json::Value = serde_json::from_str(json).expect("JSON");
    for step in data["steps"].as_array().expect("steps") {
        let (id, title) = (step["id"].as_str().expect("an id"), step["title"].as_str().expect("a title"));
        assert!(page.contains(&format!(r#"<li class="step" id="{id}">"#)), "{id} is in the page");
        assert!(page.contains(&format!(r#"aria-label="Run: {title}""#)), "{title} can be run");
    }
    let hints = data["exercise"]["hints"].as_u64().expect("a number");
    assert_eq!(page.matches(r#"<details class="hint""#).count() as u64, hints);
    let others =
        serde_json::json!({ "pages": { "title": data["lesson"]["next"]["title"], "href": "../pages/" } });
    assert_eq!(data["lessons"], others, "errors lead to the other lessons");
    assert_eq!(data["prices"], serde_json::from_str::<serde_json::Value>(PRICES).expect("JSON"));
    let map = text(&site, "/course/");
    assert!(map.contains(r#"<li data-lesson="a-filter-is-no-index">"#), "the map has it");
}

#[test]
fn whose_work_is_in_it_stands_on_a_page_that_all_others_link() {
    let site = site();
    let page = site.page("/third-party.txt").expect("it is there");
    assert_eq!(page.content_type, "text/plain; charset=utf-8");
    let text = String::from_utf8(page.bytes.to_vec()).expect("UTF-8");
    for part in ["* rusqlite ", "* svelte ", "Permission is hereby granted", "Mozilla"] {
        assert!(text.contains(part), "no {part}");
    }
    for (path, bytes) in site.files().filter(|(path, _)| path.ends_with(".html")) {
        assert!(String::from_utf8_lossy(bytes).contains("third-party.txt\">Licences</a>"), "{path}");
    }
}
