//! A conversation of three turns with a rule that spans them: nobody is booked before the customer
//! has been identified.
#![allow(clippy::print_stdout, unreachable_pub)]

mod support;

use std::convert::Infallible;

use agentltl::{constraints, verify};
use agentltl_agent::{Tool, tool_fn};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::json;
use support::{answer, calls};

#[derive(Deserialize, JsonSchema)]
struct Booking {
    /// The airport to fly to.
    to: String,
}

struct BookFlight;

impl Tool for BookFlight {
    const NAME: &'static str = "book_flight";
    type Arguments = Booking;
    type Output = String;
    type Error = Infallible;

    fn description(&self) -> String {
        "Books a flight for the identified customer.".to_owned()
    }

    async fn call(&self, booking: Booking) -> Result<String, Infallible> {
        Ok(format!("booked to {}", booking.to))
    }
}

#[derive(Deserialize, JsonSchema)]
struct Customer {
    /// The customer's name.
    name: String,
}

#[tokio::main]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let policy = constraints! {
        #[repair("Ask for the customer's name and call identify.")]
        identified: PERSISTENT_BLOCK = before("identify", BookFlight::NAME);
    };
    let agent = support::agent([
        calls([("book_flight", json!({"to": "SEA"}))]),
        answer("What is your name?"),
        calls([("identify", json!({"name": "Ada"}))]),
        answer("Hello Ada. Where would you like to go?"),
        calls([("book_flight", json!({"to": "SEA"}))]),
        answer("You fly to Seattle."),
    ])?
    .tool(BookFlight)
    .tool(tool_fn(
        "identify",
        "Looks a customer up.",
        async |customer: Customer| Ok::<_, Infallible>(format!("customer {}", customer.name)),
    ))
    .policy(policy.clone())
    .build()?;
    let turns = ["Book me to Seattle.", "I am Ada.", "To Seattle, please."];
    let result = agent.run_turns(turns).await;
    for (turn, answer) in turns.iter().zip(&result.answers) {
        println!(
            "\nuser: {turn}\nagent: {}",
            answer.as_deref().unwrap_or("none")
        );
    }
    println!("{}", verify(&policy, &result.metrics.tool_calls));
    Ok(())
}
