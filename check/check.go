// Package check is what a health check is made of and how one run of it is made: strategies, collectors, configurations,
// assertions, verdicts. It knows no database and no schedule. The strategies lie in check/strategy, what runs
// them on time in check/engine, what is kept of runs in check/history, what runs say about a target in check/health.
//
// # From a configuration to an outcome
//
// A Registry holds the strategies. Compile reads a Configuration of any version and lists everything that is wrong with it, with
// paths such as collectors[0].config.url; Validate is the same for those who only want to know. For makes the Compiled one ready for a
// target: it fills templates and secrets, and targets share the result where nothing in it is of one target. Run makes one run
// of the Prepared one, and gives an Outcome, whose Report is worked out when somebody asks for it.
//
// # How to write a strategy
//
// A strategy opens what its collectors share, a session, and each collector gets a result. All three are types of the strategy:
//
//	type dialConfig struct {
//		Host    string `json:"host" jsonschema:"minLength=1,maxLength=253" jsonschema_description:"Host name or address" check:"template"`
//		Port    int    `json:"port" jsonschema:"minimum=1,maximum=65535" jsonschema_description:"Port"`
//		Timeout int    `json:"timeout,omitempty" jsonschema:"default=30000,minimum=100,maximum=300000" jsonschema_description:"..." check:"unit=ms"`
//	}
//
//	check.NewStrategy(check.Kind{ID: "healthcheck-dial.dial", Name: "Dial", Description: "Connects."}, open, close,
//		check.NewCollector(check.Kind{ID: "healthcheck-dial.greeting", Name: "Greeting", Description: "Reads a line."}, greeting))
//
// Schema says what the tags mean. TestEveryConfigIsDescribedAndBounded in check/strategy and its neighbours say what every kind has
// to have. Further:
//
//   - A config is given with its defaults and with templates and secrets filled. Rules that a schema cannot say are its method Check.
//   - What does not answer as it should is a Failure with its Cause: Classify makes one of an error of the network. An answer that
//     came is no failure, whatever it says: an HTTP 500 is a result, and assertions judge it.
//   - Any other error says that the run could not be made. It is logged, and its text is shown to nobody.
//   - A result is a struct whose members at the top level are what assertions are about. What may be missing is a pointer or a list that is nil.
//     A method Code() int16 gives the answer in one number, for lists of runs.
//   - The world is reached by the Host alone, so that every dial goes to an address that was checked.
//   - ctx ends at the deadline of the run. Who does not heed it is left behind and counted in Registry.Running.
//   - A kind that reads Run.Scope says so (Kind.Scoped); otherwise the scope is empty.
//   - Limits for hosts go by Prepared.Lane: the member host or the host of url, unless the config has a method Lane() string.
package check
