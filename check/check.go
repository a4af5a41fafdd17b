// Package check defines health checks and makes their runs: strategies, collectors, configurations, assertions, verdicts.
// It has no database and no schedule. check/strategy has the strategies, check/engine the scheduler, check/history the stored
// results, and check/health the status of targets.
//
// # From a configuration to an outcome
//
// A Registry holds the strategies. Compile reads a Configuration of any version and lists everything that is wrong with it, with
// paths such as collectors[0].config.url; Validate returns the errors alone. For prepares the Compiled one for a target: it fills
// templates and secrets, and targets share the result if nothing in it depends on the target. Run makes one run of the Prepared
// one, and returns an Outcome, whose Report is built on demand.
//
// # How to write a strategy
//
// A strategy opens a session that its collectors share, and each collector returns a result. All three are types of the strategy:
//
//	type dialConfig struct {
//		Host    string `json:"host" jsonschema:"minLength=1,maxLength=253" jsonschema_description:"Host name or address" check:"template"`
//		Port    int    `json:"port" jsonschema:"minimum=1,maximum=65535" jsonschema_description:"Port"`
//		Timeout int    `json:"timeout,omitempty" jsonschema:"minimum=100,maximum=300000" jsonschema_description:"..." check:"unit=ms"`
//	}
//
//	check.NewStrategy(check.Kind{ID: "healthcheck-dial.dial", Name: "Dial", Description: "Connects."}, open, close,
//		check.NewCollector(check.Kind{ID: "healthcheck-dial.greeting", Name: "Greeting", Description: "Reads a line."}, greeting))
//
// Schema says what the tags mean. TestEveryConfigIsDescribedAndBounded in check/strategy and its neighbours say what every kind has
// to have. Further:
//
//   - A config is given with its defaults and with templates and secrets filled. Rules that a schema cannot say are its method Check.
//   - A failure of the target is a Failure with its Cause: Classify makes one of a network error. A response is no failure,
//     whatever it says: an HTTP 500 is a result, and assertions evaluate it.
//   - Any other error means that the run could not be made. It is logged, and its text is never shown.
//   - A result is a struct; assertions refer to its top-level members. An optional member is a pointer or a list, nil when missing.
//     A method Code() int16 is the response in one number, for lists of runs.
//   - Network access goes through the Host alone, so that the SSRF guard checks every address.
//   - ctx ends at the deadline of the run. A collector that ignores it is abandoned and counted in Registry.Running.
//   - A kind that reads Run.Scope says so (Kind.Scoped); otherwise the scope is empty.
//   - Limits for hosts go by Prepared.Lane: the member host or the host of url, unless the config has a method Lane() string.
package check
