//! The site as a host serves it: pages that say what the models say, files with their types, and
//! addresses that hold under any path.

use bytes::Bytes;
use keyplan_site::{Assets, CONTENT_SECURITY_POLICY, Content, Site, SiteError};

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
    ];
    let files = files.map(|(path, content)| (path.to_owned(), Bytes::from_static(content.as_bytes())));
    Assets::new(files).expect("a whole build")
}

fn models<'a>(models: &'a [(&'a str, &'a str)]) -> Content<'a> {
    Content { models, ..Content::default() }
}

fn site() -> Site {
    Site::build(&models(&[("customer-orders.yaml", CUSTOMER_ORDERS)]), assets())
        .unwrap_or_else(|error| panic!("{error}"))
}

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
    let site = Site::build(&models(&[("orders.yaml", &yaml)]), Assets::none())
        .unwrap_or_else(|error| panic!("{error}"));
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
    for path in ["/", "/models/customer-orders/"] {
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
    for (path, folder) in [("/", ""), ("/models/customer-orders/", "models/customer-orders/")] {
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
    for path in ["/manifest.json", "/models/", "/models/customer-orders", "/../Cargo.toml", "/nothing"] {
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
    let site = Site::build(&models(&[("orders.yaml", &yaml)]), Assets::none())
        .unwrap_or_else(|error| panic!("{error}"));
    let page = text(&site, "/models/orders/");
    assert!(!page.contains("</script><script>x"), "an item's text ends no script");
    assert!(text(&site, "/").contains("&#60;b&#62;Orders"), "a title's markup is text");
    assert_eq!(data(&page)["setup"][1]["body"]["Item"]["fullName"]["S"], "</script><script>x");
}

#[test]
fn what_is_wrong_is_said() {
    let model = ("orders.yaml", CUSTOMER_ORDERS);
    assert!(matches!(
        Site::build(&models(&[model, ("other/orders.yaml", CUSTOMER_ORDERS)]), Assets::none()),
        Err(SiteError::SameId { id }) if id == "orders"
    ));
    assert!(matches!(
        Site::build(&models(&[("bad.yaml", "keyplan: 1")]), Assets::none()),
        Err(SiteError::Model(_))
    ));
    assert!(matches!(Assets::new([]), Err(SiteError::Manifest { .. })));
}
