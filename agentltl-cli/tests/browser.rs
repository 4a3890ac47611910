//! The HTML report in a real browser: drawn, clicked, and walked through with the keyboard.
//!
//! Needs `chromedriver` and `chromium`; without them it is skipped, except in CI.
#![allow(clippy::unwrap_used, clippy::panic, clippy::print_stderr)]

mod common;

use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::process::{Child, Command, Stdio};

use common::Folder;
use serde_json::{Value as Json, json};

/// A browser behind chromedriver, spoken to in WebDriver's own JSON over HTTP.
struct Browser {
    driver: Child,
    port: u16,
    session: String,
}

impl Browser {
    fn start(folder: &Folder) -> Option<Self> {
        let mut driver = Command::new("chromedriver")
            .arg("--port=0")
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .ok()?;
        let mut lines = BufReader::new(driver.stdout.take()?).lines();
        let port = lines.find_map(|line| {
            let line = line.ok()?;
            let (_, port) = line.split_once("started successfully on port ")?;
            port.trim_end_matches('.').parse().ok()
        })?;
        // The driver stops when nobody reads what it says.
        std::thread::spawn(move || lines.for_each(drop));
        let mut browser = Browser {
            driver,
            port,
            session: String::new(),
        };
        let profile = format!("--user-data-dir={}/profile", folder.path().display());
        let arguments = [
            "--headless",
            "--no-sandbox",
            "--disable-gpu",
            "--disable-quic",
            "--no-first-run",
            "--disable-background-networking",
            "--disable-component-update",
            "--disable-sync",
            "--window-size=1200,1000",
            &profile,
        ];
        let asked = json!({"capabilities": {"alwaysMatch": {
            "goog:chromeOptions": {"args": arguments},
            "goog:loggingPrefs": {"browser": "ALL"}}}});
        let session = browser.post("/session", &asked);
        browser.session = format!("/session/{}", session["sessionId"].as_str()?);
        Some(browser)
    }

    fn post(&self, path: &str, body: &Json) -> Json {
        let body = body.to_string();
        let mut stream = TcpStream::connect(("127.0.0.1", self.port)).unwrap();
        write!(
            stream,
            "POST {}{path} HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: application/json\r\n\
             Content-Length: {}\r\nConnection: close\r\n\r\n{body}",
            self.session,
            body.len()
        )
        .unwrap();
        // The driver keeps the connection open, whatever it is asked.
        let mut reader = BufReader::new(stream);
        let mut length = 0;
        let mut line = String::new();
        while reader.read_line(&mut line).unwrap() > 2 {
            if let Some((key, value)) = line.split_once(':')
                && key.eq_ignore_ascii_case("content-length")
            {
                length = value.trim().parse().unwrap();
            }
            line.clear();
        }
        let mut body = vec![0; length];
        reader.read_exact(&mut body).unwrap();
        let json: Json = serde_json::from_slice(&body).unwrap();
        assert!(json["value"]["error"].is_null(), "{path}: {json}");
        json["value"].clone()
    }

    /// What a script returns.
    fn ask(&self, script: &str) -> Json {
        self.post("/execute/sync", &json!({"script": script, "args": []}))
    }

    /// Waits until a script returns `true`: a browser draws when it finds the time.
    fn wait(&self, script: &str) {
        let start = std::time::Instant::now();
        while self.ask(script) != true {
            assert!(start.elapsed().as_secs() < 20, "{script}");
            std::thread::sleep(std::time::Duration::from_millis(20));
        }
    }

    fn press(&self, keys: &str) {
        let actions: Vec<Json> = keys
            .chars()
            .flat_map(|key| ["keyDown", "keyUp"].map(|kind| json!({"type": kind, "value": key})))
            .collect();
        let actions = json!({"actions": [{"type": "key", "id": "keyboard", "actions": actions}]});
        self.post("/actions", &actions);
    }
}

impl Drop for Browser {
    fn drop(&mut self) {
        // Ends the browser; then the driver, which is ours.
        if let Ok(mut stream) = TcpStream::connect(("127.0.0.1", self.port)) {
            let _ = write!(
                stream,
                "DELETE {} HTTP/1.1\r\nHost: 127.0.0.1\r\nConnection: close\r\n\r\n",
                self.session
            );
            // The answer comes when the browser is gone.
            let _ = stream.read(&mut [0; 1]);
        }
        let _ = self.driver.kill();
        let _ = self.driver.wait();
    }
}

const POLICY: &str = r#"
[[constraint]]
name = "search_first"
formula = 'G(now("book") -> O(now("search")))'
severity = "PERSISTENT_BLOCK"
repair = "Search first."

[[constraint]]
name = "logged"
formula = 'called("log")'
severity = "TOLERATE"
"#;

#[test]
fn the_report_is_drawn_and_answers() {
    let folder = Folder::new();
    let Some(browser) = Browser::start(&folder) else {
        assert!(std::env::var_os("CI").is_none(), "CI needs chromedriver");
        eprintln!("skipped: no chromedriver");
        return;
    };
    // Text that would be markup, were it not taken as text.
    let evil = "</script><img src=x onerror='document.title=\"broken\"'>";
    let runs = [
        json!({"tool_calls": [{"tool_name": "book", "arguments": {"flight": evil}}, {"tool_name": "search"},
            {"tool_name": "book"}]}),
        json!({"tool_calls": [{"tool_name": evil}, {"tool_name": "log"}]}),
    ];
    folder
        .write("policy.toml", POLICY)
        .write("runs.jsonl", format!("{}\n{}\n", runs[0], runs[1]))
        .write("empty.json", "");
    let made = folder.run(&[
        "verify",
        "runs.jsonl",
        "empty.json",
        "-p",
        "policy.toml",
        "-f",
        "html",
        "-o",
        "report.html",
    ]);
    assert_eq!(made.code, 2, "{}", made.err);

    let url = format!("file://{}/report.html", folder.path().display());
    browser.post("/url", &json!({"url": url}));
    let text = |selector: &str| {
        let script = format!(
            "return document.querySelector({}).textContent",
            json!(selector)
        );
        browser.ask(&script).as_str().unwrap().to_owned()
    };
    assert_eq!(
        text("#totals"),
        "2 runs: 1 reach the score 1, 1 do not; mean score 0.500."
    );
    assert_eq!(text("#bad"), "empty.json: the file is empty");
    assert_eq!(
        browser.ask("return document.querySelectorAll('#scores rect').length"),
        2
    );
    assert_eq!(
        browser.ask("return document.querySelectorAll('#scores rect.missed').length"),
        1
    );

    // Without a mouse: the run is opened, and its cells are walked through.
    browser.ask("document.querySelector('details.run summary').focus()");
    browser.press("\u{e007}");
    browser.wait("return document.querySelectorAll('details[open] table').length == 1");
    let rows = browser.ask(
        "return [...document.querySelectorAll('details[open] tbody tr')].map(row => row.textContent)",
    );
    assert_eq!(rows, json!(["search_first✗✗✗FAILS", "logged!!!FAILS"]));
    assert_eq!(
        browser.ask(
            "return [...document.querySelectorAll('thead .refused')].map(cell => cell.textContent)"
        ),
        json!(["1 book (block)"])
    );
    browser.press("\u{e004}");
    let detail = text("details[open] .detail");
    for part in [
        "Call 1: book, refused: block by search_first",
        "Search first.",
        "witness: call 1: FALSE",
        "</script><img src=x onerror=",
    ] {
        assert!(detail.contains(part), "{part}\n{detail}");
    }
    browser.press("\u{e015}\u{e014}");
    let detail = text("details[open] .detail");
    assert!(detail.contains("Call 2: search, allowed"), "{detail}");
    assert!(
        detail.contains("logged: PFALSE, an obligation is not met yet"),
        "{detail}"
    );

    // With a mouse.
    browser.ask("document.querySelectorAll('details.run summary')[1].click()");
    browser.wait("return document.querySelectorAll('details[open] table').length == 2");
    let cell = browser.post(
        "/element",
        &json!({"using": "css selector", "value": "details.run:last-of-type tbody tr:last-child td:nth-child(3) button"}),
    );
    let element = cell
        .as_object()
        .unwrap()
        .values()
        .next()
        .unwrap()
        .as_str()
        .unwrap();
    browser.post(&format!("/element/{element}/click"), &json!({}));
    let detail = text("details.run:last-of-type .detail");
    assert!(detail.contains("logged: TRUE, holds for good"), "{detail}");

    assert_eq!(browser.ask("return document.title"), "AgentLTL report");
    assert_eq!(
        browser.ask("return document.querySelectorAll('img').length"),
        0
    );
    let log = browser.post("/se/log", &json!({"type": "browser"}));
    assert_eq!(log, json!([]));
}
