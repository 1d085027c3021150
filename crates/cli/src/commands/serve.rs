//! `keyplan serve`: the endpoint.

use crate::commands::endpoint::EndpointArguments;
use crate::commands::listening::shutdown_on_signals;
use crate::failure::Failure;
use crate::output;

/// Shown at the end of `--help`.
const EXAMPLES: &str = "\
Examples:
  keyplan serve                                   in memory, on http://127.0.0.1:8000
  keyplan serve --db shop.db                      on a file
  keyplan serve --seed fixtures --isolate access-key
                                                  each access key its own tables, all begun from fixtures/
  keyplan serve --host 0.0.0.0 --allow-host dynamo --allow-any-signature
                                                  in a container that others reach as http://dynamo:8000
  keyplan serve --host 0.0.0.0 --allow-host dynamo --credentials keys --tls-certificate dynamo.pem --tls-key key.pem
                                                  the same for those who have a key pair, on https
  keyplan serve --port 0 --control=0              free ports; the first lines of stdout say which

Between tests, with --control:
  curl -X POST http://127.0.0.1:8001/reset        back to the start, in less than a millisecond
  curl -X POST http://127.0.0.1:8001/snapshot -d '{\"name\": \"seeded\"}'
  curl -X POST http://127.0.0.1:8001/restore -d '{\"name\": \"seeded\"}'
  curl http://127.0.0.1:8001/report               what the requests so far read, wrote and cost

Weather, off by default (docs/weather.md): throttling, lag, conflicts, errors, and a clock that can be moved
  keyplan serve --weather '{\"throttling\": true, \"partialBatches\": 0.2}' --clock 60
  curl http://127.0.0.1:8001/weather -d '{\"lag\": {\"table\": 500}}'
  curl http://127.0.0.1:8001/clock -d '{\"advance\": 86400000}'

In a pipeline: fail the build if a test scanned a table, or all of them used more than 500 units
  keyplan serve --report costs.json --fail-on-scan --max-units 500 & endpoint=$!
  npm test; kill $endpoint; wait $endpoint

Exit codes: 0 stopped by a signal, 1 failed, 2 a wrong command line, 3 a rule of cost was broken.
Clients need any access key, any secret and any region, and this address as their endpoint; with --credentials, a
key pair of that file.";

#[derive(clap::Args)]
#[command(after_long_help = EXAMPLES)]
pub(crate) struct Serve {
    #[command(flatten)]
    endpoint: EndpointArguments,
}

impl Serve {
    pub(crate) fn run(self) -> Result<(), Failure> {
        let shutdown = shutdown_on_signals()?;
        let opened = self.endpoint.open()?;
        output::print(&opened.announcement());
        opened.serve(None, &shutdown)
    }
}
