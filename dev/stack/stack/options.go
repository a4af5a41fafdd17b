package stack

import (
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"
)

// Options are the settings of both commands. A flag wins over its environment
// variable, which wins over the default.
type Options struct {
	// Port is the port of the product, UIPort that of the Temporal Web UI. 0 picks a free port, here and below.
	Port   int
	UIPort int
	// UIHosts are host names that the Temporal Web UI accepts, besides localhost and addresses.
	UIHosts []string
	// Codec is the remote codec that decrypts payloads for the Temporal Web UI; empty when they are not encrypted.
	Codec string
	// TemporalPort and PostgresPort are for programs on this machine only.
	TemporalPort int
	PostgresPort int
	// Data is the absolute path of the data folder. Exec takes an empty one for
	// a temporary folder.
	Data string
	// Volatile trades PostgreSQL's durability in a crash of the machine for speed.
	Volatile bool
	// Program is the path of the countersign binary.
	Program string
	// Drain bounds the graceful shutdown of a program when the stack stops.
	Drain time.Duration
}

// The environment variables that choose ports and the data folder.
const (
	portVariable         = "PORT"
	uiPortVariable       = "TEMPORAL_UI_PORT"
	uiHostsVariable      = "TEMPORAL_UI_HOSTS"
	temporalPortVariable = "TEMPORAL_PORT"
	postgresPortVariable = "POSTGRES_PORT"
	dataVariable         = "COUNTERSIGN_DATA"
)

const defaultDrain = 20 * time.Second

// ParseUp reads the arguments of `devstack up`.
func ParseUp(args []string, env Environment, usage io.Writer) (Options, error) {
	options := Options{Drain: defaultDrain}
	flags := flag.NewFlagSet("devstack up", flag.ContinueOnError)
	flags.SetOutput(usage)
	ports := portFlags(flags, &options)
	flags.StringVar(&options.Data, "data", orDefault(env.Get(dataVariable), ".data"), "folder of all state ("+dataVariable+")")
	flags.StringVar(&options.Program, "countersign", programBeside(), "path of the countersign binary")
	flags.DurationVar(&options.Drain, "drain", options.Drain, "how long countersign may take to finish its work")
	if err := flags.Parse(args); err != nil {
		return Options{}, usageError(err)
	}
	if flags.NArg() > 0 {
		return Options{}, fmt.Errorf("devstack up takes no arguments, but got %q: see devstack up --help", flags.Arg(0))
	}
	if err := ports.resolve(env); err != nil {
		return Options{}, err
	}
	if hosts := env.Get(uiHostsVariable); hosts != "" {
		options.UIHosts = strings.Split(hosts, ",")
	}
	return options.absolute()
}

// ParseExec reads the arguments of `devstack exec` and returns the command to run.
func ParseExec(args []string, usage io.Writer) (Options, []string, error) {
	options := Options{Drain: defaultDrain}
	flags := flag.NewFlagSet("devstack exec", flag.ContinueOnError)
	flags.SetOutput(usage)
	flags.StringVar(&options.Data, "data", "", "folder to keep state in (default: a temporary folder)")
	flags.BoolVar(&options.Volatile, "volatile", false, "do not wait for the disk: for tests, not for measuring")
	flags.DurationVar(&options.Drain, "drain", options.Drain, "how long the command may take to end when interrupted")
	if err := flags.Parse(args); err != nil {
		return Options{}, nil, usageError(err)
	}
	if flags.NArg() == 0 {
		return Options{}, nil, errors.New("devstack exec needs a command: devstack exec -- go test ./")
	}
	options, err := options.absolute()
	return options, flags.Args(), err
}

// errHelp reports that the usage was printed on request.
var errHelp = errors.New("help")

func usageError(err error) error {
	if errors.Is(err, flag.ErrHelp) {
		return errHelp
	}
	return err
}

// portFlag is a port with its flag and environment variable.
type portFlag struct {
	target   *int
	text     *string
	name     string
	variable string
	fallback int
}

type portFlagSet []portFlag

func portFlags(flags *flag.FlagSet, options *Options) portFlagSet {
	ports := portFlagSet{
		{target: &options.Port, name: "port", variable: portVariable, fallback: 8080},
		{target: &options.UIPort, name: "temporal-ui-port", variable: uiPortVariable, fallback: 8233},
		{target: &options.TemporalPort, name: "temporal-port", variable: temporalPortVariable},
		{target: &options.PostgresPort, name: "postgres-port", variable: postgresPortVariable},
	}
	for i := range ports {
		p := &ports[i]
		description := fmt.Sprintf("port, 0 for a free one (%s, default %d)", p.variable, p.fallback)
		p.text = flags.String(p.name, "", description)
	}
	return ports
}

// resolve reads the ports from flags, environment and defaults, and ensures that they differ.
func (ports portFlagSet) resolve(env Environment) error {
	chosen := map[int]string{}
	for _, p := range ports {
		*p.target = p.fallback
		if text := orDefault(*p.text, env.Get(p.variable)); text != "" {
			number, err := strconv.Atoi(text)
			if err != nil || number < 0 || number > 65535 {
				return fmt.Errorf("%s is %q: set it to a port between 0 and 65535", p.variable, text)
			}
			*p.target = number
		}
		if other, taken := chosen[*p.target]; taken && *p.target != 0 {
			return fmt.Errorf("%s and %s are both %d: give one of them another port", other, p.variable, *p.target)
		}
		chosen[*p.target] = p.variable
	}
	return nil
}

func (o Options) absolute() (Options, error) {
	if o.Data == "" {
		return o, nil
	}
	absolute, err := filepath.Abs(o.Data)
	if err != nil {
		return Options{}, fmt.Errorf("find the data folder: %w", err)
	}
	o.Data = absolute
	return o, nil
}

// programBeside returns the countersign binary in the folder of this one.
func programBeside() string {
	self, err := os.Executable()
	if err != nil {
		return "countersign"
	}
	return filepath.Join(filepath.Dir(self), "countersign")
}

func orDefault(value, fallback string) string {
	if value == "" {
		return fallback
	}
	return value
}

// Environment is a list of variables as in os.Environ.
type Environment []string

// Get returns the value of the variable, empty when it is not set. The last of
// several values counts, as it does for os/exec.
func (e Environment) Get(name string) string {
	value := ""
	for _, variable := range e {
		if key, text, ok := strings.Cut(variable, "="); ok && key == name {
			value = text
		}
	}
	return value
}

// With returns a copy with the variables set; each is "NAME=value".
func (e Environment) With(variables ...string) Environment {
	result := make(Environment, 0, len(e)+len(variables))
	for _, variable := range e {
		name, _, _ := strings.Cut(variable, "=")
		replaced := false
		for _, replacement := range variables {
			replaced = replaced || strings.HasPrefix(replacement, name+"=")
		}
		if !replaced {
			result = append(result, variable)
		}
	}
	return append(result, variables...)
}
