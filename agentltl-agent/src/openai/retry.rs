//! What can be tried again, and when.

use std::error::Error;
use std::hash::{BuildHasher, RandomState};
use std::sync::Arc;
use std::time::{Duration, SystemTime};

use reqwest::header::{HeaderMap, RETRY_AFTER};

use crate::chat_error::ChatError;

/// An attempt that failed.
#[derive(Debug)]
pub(super) enum Failure {
    Connection(Arc<dyn Error + Send + Sync>),
    Timeout(Duration),
    Status {
        status: u16,
        message: String,
        /// The pause the endpoint asks for.
        pause: Option<Duration>,
    },
    TooLarge(usize),
}

impl Failure {
    pub(super) fn connection(error: reqwest::Error) -> Self {
        Failure::Connection(Arc::new(error.without_url()))
    }

    fn can_be_tried_again(&self) -> bool {
        match self {
            Failure::Connection(_) | Failure::Timeout(_) => true,
            Failure::Status { status, .. } => matches!(status, 408 | 409 | 429 | 500..=599),
            Failure::TooLarge(_) => false,
        }
    }

    pub(super) fn into_error(self, attempts: u32) -> ChatError {
        match self {
            Failure::Connection(source) => ChatError::Connection { attempts, source },
            Failure::Timeout(after) => ChatError::Timeout { attempts, after },
            Failure::Status {
                status, message, ..
            } => ChatError::Status {
                attempts,
                status,
                message,
            },
            Failure::TooLarge(limit) => ChatError::TooLarge { limit },
        }
    }
}

#[derive(Clone, Debug)]
pub(super) struct Retries {
    pub(super) max: u32,
    pub(super) first_pause: Duration,
    pub(super) max_pause: Duration,
}

impl Retries {
    /// How long to wait before the next attempt; `None` where there is to be none.
    pub(super) fn pause(&self, attempts: u32, failure: &Failure) -> Option<Duration> {
        if attempts > self.max || !failure.can_be_tried_again() {
            return None;
        }
        if let Failure::Status {
            pause: Some(asked), ..
        } = failure
        {
            // Coming back sooner than asked would only be refused again.
            return (*asked <= self.max_pause).then_some(*asked);
        }
        let doubled = self
            .first_pause
            .saturating_mul(1 << (attempts - 1).min(20))
            .min(self.max_pause);
        // Clients that failed together should not come back together: half of the pause is chance.
        let chance = RandomState::new().hash_one(attempts) as f64 / u64::MAX as f64;
        Some(doubled.mul_f64(0.5 + 0.5 * chance.clamp(0.0, 1.0)))
    }
}

/// The pause that an answer asks for: milliseconds, seconds, or a date.
pub(super) fn asked_pause(headers: &HeaderMap) -> Option<Duration> {
    let number = |text: &str, unit: f64| {
        let seconds = text.trim().parse::<f64>().ok()? * unit;
        Duration::try_from_secs_f64(seconds).ok()
    };
    if let Some(text) = headers
        .get("retry-after-ms")
        .and_then(|value| value.to_str().ok())
        && let Some(pause) = number(text, 0.001)
    {
        return Some(pause);
    }
    let text = headers.get(RETRY_AFTER)?.to_str().ok()?;
    number(text, 1.0).or_else(|| {
        let date = httpdate::parse_http_date(text.trim()).ok()?;
        Some(
            date.duration_since(SystemTime::now())
                .unwrap_or(Duration::ZERO),
        )
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn asked(name: &'static str, value: &'static str) -> Option<Duration> {
        let mut headers = HeaderMap::new();
        headers.insert(name, reqwest::header::HeaderValue::from_static(value));
        asked_pause(&headers)
    }

    #[test]
    fn the_pause_asked_for_is_read_in_all_its_forms() {
        assert_eq!(asked("retry-after", "2"), Some(Duration::from_secs(2)));
        assert_eq!(
            asked("retry-after-ms", "150"),
            Some(Duration::from_millis(150))
        );
        let past = "Wed, 21 Oct 2015 07:28:00 GMT";
        assert_eq!(asked("retry-after", past), Some(Duration::ZERO));
        for nonsense in ["-1", "soon", "NaN", "inf", "1e400"] {
            assert_eq!(asked("retry-after", nonsense), None, "{nonsense}");
        }
    }

    #[test]
    fn pauses_grow_up_to_the_limit_and_end() {
        let retries = Retries {
            max: 4,
            first_pause: Duration::from_millis(100),
            max_pause: Duration::from_millis(300),
        };
        let failure = Failure::Timeout(Duration::ZERO);
        for (attempts, least, most) in [(1, 50, 100), (2, 100, 200), (3, 150, 300), (4, 150, 300)] {
            let pause = retries.pause(attempts, &failure);
            let range = Duration::from_millis(least)..=Duration::from_millis(most);
            assert!(
                pause.is_some_and(|pause| range.contains(&pause)),
                "{pause:?}"
            );
        }
        assert_eq!(retries.pause(5, &failure), None);
    }

    #[test]
    fn a_pause_longer_than_the_limit_is_not_cut_short() {
        let retries = Retries {
            max: 4,
            first_pause: Duration::from_millis(100),
            max_pause: Duration::from_secs(30),
        };
        let failure = |seconds| Failure::Status {
            status: 429,
            message: String::new(),
            pause: Some(Duration::from_secs(seconds)),
        };
        assert_eq!(
            retries.pause(1, &failure(30)),
            Some(Duration::from_secs(30))
        );
        assert_eq!(retries.pause(1, &failure(31)), None);
    }

    #[test]
    fn what_cannot_change_is_not_tried_again() {
        let retries = Retries {
            max: 4,
            first_pause: Duration::ZERO,
            max_pause: Duration::ZERO,
        };
        for (status, again) in [
            (400, false),
            (401, false),
            (404, false),
            (429, true),
            (503, true),
        ] {
            let failure = Failure::Status {
                status,
                message: String::new(),
                pause: None,
            };
            assert_eq!(retries.pause(1, &failure).is_some(), again, "{status}");
        }
    }
}
