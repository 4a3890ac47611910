//! A scripted OpenAI-compatible server: it speaks HTTP, says one line after the other, and keeps what
//! it was asked. Its lines can also be faults.

use std::io;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use serde_json::{Value as Json, json};
use tokio::io::{AsyncBufReadExt, AsyncReadExt, AsyncWriteExt, BufReader};
use tokio::net::{TcpListener, TcpStream};

/// A line of the script.
#[derive(Clone)]
pub enum Line {
    /// A completion.
    Say(Json),
    /// A status with headers and a body.
    Status(u16, Vec<(&'static str, String)>, String),
    /// These bytes, whatever they are, and then the end of the connection.
    Bytes(Vec<u8>),
    /// Nothing, for so long.
    Stall(Duration),
}

/// What the server was asked.
#[derive(Clone)]
pub struct Asked {
    pub path: String,
    pub headers: Vec<(String, String)>,
    pub body: Json,
}

impl Asked {
    pub fn header(&self, name: &str) -> Option<&str> {
        let found = self.headers.iter().find(|(key, _)| key == name);
        found.map(|(_, value)| value.as_str())
    }
}

pub struct Server {
    pub base_url: String,
    asked: Arc<Mutex<Vec<Asked>>>,
}

impl Server {
    pub async fn start(lines: Vec<Line>) -> io::Result<Server> {
        let listener = TcpListener::bind(("127.0.0.1", 0)).await?;
        let base_url = format!("http://{}/v1", listener.local_addr()?);
        let asked = Arc::new(Mutex::new(Vec::new()));
        let script = Script {
            lines: Arc::new(Mutex::new(lines.into())),
            asked: Arc::clone(&asked),
        };
        tokio::spawn(async move {
            while let Ok((stream, _)) = listener.accept().await {
                let script = script.clone();
                tokio::spawn(async move {
                    let _ = script.serve(stream).await;
                });
            }
        });
        Ok(Server { base_url, asked })
    }

    pub fn asked(&self) -> Vec<Asked> {
        self.asked.lock().unwrap().clone()
    }
}

#[derive(Clone)]
struct Script {
    lines: Arc<Mutex<std::collections::VecDeque<Line>>>,
    asked: Arc<Mutex<Vec<Asked>>>,
}

impl Script {
    async fn serve(&self, stream: TcpStream) -> io::Result<()> {
        let mut stream = BufReader::new(stream);
        while let Some(asked) = read(&mut stream).await? {
            // A second program reads here what the first was told.
            if asked.path == "/v1/asked" {
                let bodies: Vec<Json> = self
                    .asked
                    .lock()
                    .unwrap()
                    .iter()
                    .map(|a| a.body.clone())
                    .collect();
                respond(&mut stream, 200, &[], &json!(bodies).to_string()).await?;
                continue;
            }
            self.asked.lock().unwrap().push(asked);
            let line = self.lines.lock().unwrap().pop_front();
            match line {
                Some(Line::Say(completion)) => {
                    respond(&mut stream, 200, &[], &completion.to_string()).await?
                }
                Some(Line::Status(status, headers, body)) => {
                    respond(&mut stream, status, &headers, &body).await?;
                }
                Some(Line::Bytes(bytes)) => {
                    stream.write_all(&bytes).await?;
                    stream.flush().await?;
                    return stream.shutdown().await;
                }
                Some(Line::Stall(time)) => {
                    tokio::time::sleep(time).await;
                    return Ok(());
                }
                None => respond(&mut stream, 410, &[], "the script is over").await?,
            }
        }
        Ok(())
    }
}

async fn read(stream: &mut BufReader<TcpStream>) -> io::Result<Option<Asked>> {
    let mut line = String::new();
    if stream.read_line(&mut line).await? == 0 {
        return Ok(None);
    }
    let path = line.split(' ').nth(1).unwrap_or_default().to_owned();
    let mut headers = Vec::new();
    let mut length = 0;
    loop {
        line.clear();
        stream.read_line(&mut line).await?;
        let Some((name, value)) = line.trim_end().split_once(": ") else {
            break;
        };
        let name = name.to_ascii_lowercase();
        if name == "content-length" {
            length = value.parse().unwrap_or(0);
        }
        headers.push((name, value.to_owned()));
    }
    let mut body = vec![0; length];
    stream.read_exact(&mut body).await?;
    Ok(Some(Asked {
        path,
        headers,
        body: serde_json::from_slice(&body).unwrap_or(Json::Null),
    }))
}

async fn respond(
    stream: &mut BufReader<TcpStream>,
    status: u16,
    headers: &[(&'static str, String)],
    body: &str,
) -> io::Result<()> {
    let mut head = format!(
        "HTTP/1.1 {status} Scripted\r\ncontent-type: application/json\r\ncontent-length: {}\r\n",
        body.len()
    );
    for (name, value) in headers {
        head.push_str(&format!("{name}: {value}\r\n"));
    }
    stream
        .write_all(format!("{head}\r\n{body}").as_bytes())
        .await?;
    stream.flush().await
}

/// A completion that wants calls made: id, tool, arguments as text.
pub fn calls(calls: &[(&str, &str, &str)]) -> Json {
    let calls: Vec<Json> = calls
        .iter()
        .map(|(id, name, arguments)| {
            json!({"id": id, "type": "function", "function": {"name": name, "arguments": arguments}})
        })
        .collect();
    completion(json!({"role": "assistant", "content": null, "tool_calls": calls}))
}

/// A completion that is an answer.
pub fn answer(text: &str) -> Json {
    completion(json!({"role": "assistant", "content": text}))
}

pub fn completion(message: Json) -> Json {
    let reason = if message.get("tool_calls").is_some() {
        "tool_calls"
    } else {
        "stop"
    };
    json!({
        "id": "chatcmpl-1", "object": "chat.completion", "created": 0, "model": "scripted",
        "choices": [{"index": 0, "message": message, "finish_reason": reason}],
        "usage": {"prompt_tokens": 10, "completion_tokens": 5, "total_tokens": 15},
    })
}

/// A script in JSON: a text is an answer, a list has calls as id, tool and arguments.
pub fn script(lines: &Json) -> Vec<Line> {
    let text = |json: &Json| json.as_str().unwrap().to_owned();
    let line = |line: &Json| match line {
        Json::String(said) => answer(said),
        wanted => {
            let wanted = wanted.as_array().unwrap().iter();
            let wanted: Vec<_> = wanted
                .map(|call| (text(&call[0]), text(&call[1]), text(&call[2])))
                .collect();
            let wanted: Vec<_> = wanted
                .iter()
                .map(|(id, name, args)| (&**id, &**name, &**args))
                .collect();
            calls(&wanted)
        }
    };
    lines
        .as_array()
        .unwrap()
        .iter()
        .map(line)
        .map(Line::Say)
        .collect()
}
