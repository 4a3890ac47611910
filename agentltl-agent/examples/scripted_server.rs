//! The tests' scripted server for other programs: it reads a script, one JSON line on standard
//! input, prints its base URL, and serves until standard input ends. `GET {base}/asked` tells what
//! it was asked.
#![allow(clippy::unwrap_used, clippy::print_stdout, dead_code, unreachable_pub)]

#[path = "../tests/support/server.rs"]
mod server;

use std::io::{self, BufRead};

#[tokio::main]
async fn main() -> io::Result<()> {
    let mut script = String::new();
    io::stdin().lock().read_line(&mut script)?;
    let server = server::Server::start(server::script(&serde_json::from_str(&script)?)).await?;
    println!("{}", server.base_url);
    tokio::task::spawn_blocking(|| io::stdin().lock().lines().for_each(drop)).await?;
    Ok(())
}
