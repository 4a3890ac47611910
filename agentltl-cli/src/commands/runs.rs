//! Doing something with each run of the input.

use crate::args::Runs;
use crate::error::{BadInput, Failure};
use crate::input::{Found, Inputs, read};
use crate::parallel;
use crate::progress::Progress;
use crate::screen::Screen;

/// A result of a run, or why there is no run.
pub(crate) type Each<R> = Result<R, BadInput>;

/// Does `work` with each run, in parallel, and gives the results to `collect` in the order of the
/// input. What is no run is also reported on standard error.
pub(crate) fn each<R: Send>(
    options: &Runs,
    screen: &mut Screen,
    work: impl Fn(Found) -> R + Sync,
    mut collect: impl FnMut(&mut Screen, Each<R>) -> Result<(), Failure>,
) -> Result<(), Failure> {
    let inputs = Inputs::find(&options.traces);
    let mut progress = Progress::new(!options.no_progress);
    let mut runs = 0;
    let done = || inputs.done.load(std::sync::atomic::Ordering::Relaxed);
    let outcome = parallel::run(
        |emit| inputs.feed(options.from, emit),
        |job| -> Vec<Each<R>> {
            let found = read(job, options.from);
            found.into_iter().map(|run| run.map(&work)).collect()
        },
        |results| {
            for result in results {
                runs += 1;
                if let Err(error) = &result {
                    progress.clear();
                    screen.error(&error.to_string());
                }
                collect(screen, result)?;
            }
            progress.step(done(), inputs.total, runs);
            Ok(())
        },
    );
    progress.clear();
    outcome
}
