package strategy

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"strings"
	"time"

	"countersign/check"
)

// scriptConfig has only a timeout: a script chooses its own targets.
type scriptConfig struct {
	Timeout int `json:"timeout,omitempty" jsonschema:"minimum=100,maximum=300000" jsonschema_description:"How long a run may take with all its scripts, in milliseconds, at most the interval; when left out, 10,000 or the interval if that is shorter" check:"unit=ms,label=Timeout"`
	check.Tries
}

// inlineConfig is a check in TypeScript.
type inlineConfig struct {
	Script    string            `json:"script" jsonschema:"minLength=1,maxLength=100000" jsonschema_description:"A module in TypeScript whose default export is a function, typed by defineHealthCheck of @countersign/sdk/healthcheck" check:"editor=typescript,label=Script"`
	Config    map[string]string `json:"config,omitempty" jsonschema:"maxProperties=64" jsonschema_description:"What the script finds in context.config, such as url" check:"template,label=Configuration"`
	Env       map[string]string `json:"env,omitempty" jsonschema:"maxProperties=64" jsonschema_description:"Variables that the script finds in context.env" check:"template,label=Variables"`
	SecretEnv map[string]string `json:"secretEnv,omitempty" jsonschema:"maxProperties=32" jsonschema_description:"Variables that hold secrets, as ${{ secrets.NAME }}, in context.env" check:"secret,label=Secret variables"`
	Timeout   int               `json:"timeout,omitempty" jsonschema:"minimum=1000,maximum=60000" jsonschema_description:"How long the script may run, in milliseconds; the time of the run when left out. The run may have less time, and the script policy may allow less." check:"unit=ms,label=Timeout"`
}

// mostMessage bounds the message of a script, in bytes.
const mostMessage = 8 << 10

// inlineResult is the result of a TypeScript check.
type inlineResult struct {
	Success         bool     `json:"success" jsonschema_description:"Whether the script says that all is well" check:"label=Success"`
	Message         string   `json:"message,omitempty" jsonschema_description:"What the script says about it" check:"label=Message"`
	Value           *float64 `json:"value,omitempty" jsonschema_description:"The number that the script measured" check:"chart=line,label=Value,keep"`
	ExecutionTimeMs float64  `json:"executionTimeMs" jsonschema_description:"How long the script ran" check:"chart=line,unit=ms,label=Execution time,keep"`
	TimedOut        bool     `json:"timedOut" jsonschema_description:"Whether its time was over before it ended" check:"label=Timed out"`
	Withheld        string   `json:"withheld,omitempty" jsonschema_description:"What the script policy kept from the script, if anything" check:"label=Withheld by policy"`
	cutFields
}

// Lane implements check.Laned: a script chooses its targets, so each script has a lane of its own.
func (c *inlineConfig) Lane() string { return scriptLane(c.Script, c.Config, c.Env) }

// Lane implements check.Laned.
func (c *executeConfig) Lane() string { return scriptLane(c.Script, nil, c.Env) }

func scriptLane(script string, told ...map[string]string) string {
	h := sha256.New()
	_, _ = io.WriteString(h, script)    // a hash takes everything
	_ = json.NewEncoder(h).Encode(told) // maps of texts always have a JSON form, in the order of their keys
	return "script " + hex.EncodeToString(h.Sum(nil)[:8])
}

// executeConfig is a check in shell.
type executeConfig struct {
	Script    string            `json:"script" jsonschema:"minLength=1,maxLength=100000" jsonschema_description:"A shell script. Its exit code says how it went." check:"editor=shell,label=Script"`
	Env       map[string]string `json:"env,omitempty" jsonschema:"maxProperties=64" jsonschema_description:"Variables of the script" check:"template,label=Variables"`
	SecretEnv map[string]string `json:"secretEnv,omitempty" jsonschema:"maxProperties=32" jsonschema_description:"Variables that hold secrets, as ${{ secrets.NAME }}" check:"secret,label=Secret variables"`
	Timeout   int               `json:"timeout,omitempty" jsonschema:"minimum=1000,maximum=60000" jsonschema_description:"How long the script may run, in milliseconds; the time of the run when left out. The run may have less time, and the script policy may allow less." check:"unit=ms,label=Timeout"`
	// SuccessCodes is nil for 0 only.
	SuccessCodes []int `json:"successCodes,omitempty" jsonschema:"maxItems=32" jsonschema_description:"Exit codes that are no failure; 0 alone when left out" check:"label=Exit codes of success"`
}

// executeResult is the result of a shell script.
type executeResult struct {
	ExitCode        int     `json:"exitCode" jsonschema_description:"Exit code; -1 when the script did not come to one" check:"chart=line,label=Exit code"`
	Stdout          string  `json:"stdout" jsonschema_description:"What was written to stdout, at most 64 KiB" check:"jsonpath,label=Stdout"`
	Stderr          string  `json:"stderr" jsonschema_description:"What was written to stderr, at most 64 KiB" check:"label=Stderr"`
	ExecutionTimeMs float64 `json:"executionTimeMs" jsonschema_description:"How long the script ran" check:"chart=line,unit=ms,label=Execution time,keep"`
	Success         bool    `json:"success" jsonschema_description:"Whether the exit code is one of the success codes" check:"label=Success"`
	TimedOut        bool    `json:"timedOut" jsonschema_description:"Whether its time was over before it ended" check:"label=Timed out"`
	Withheld        string  `json:"withheld,omitempty" jsonschema_description:"What the script policy kept from the script, if anything" check:"label=Withheld by policy"`
	cutFields
}

// Code returns the exit code, which is stored with each run.
func (r *executeResult) Code() int16 { return codeOf(r.ExitCode) }

func scriptStrategy() check.Strategy {
	return check.NewStrategy(
		check.Kind{
			ID: "healthcheck-script.script", Name: "Script", Category: "Scripts", Scoped: true,
			Description: "Runs scripts of your own in the sandbox, in TypeScript or shell, with the network that the script policy allows.",
		},
		func(context.Context, check.Run, *scriptConfig) (struct{}, error) { return struct{}{}, nil }, nil,
		check.NewCollector(check.Kind{
			ID:       "healthcheck-script.inline-script",
			Name:     "TypeScript",
			Category: "Scripts",
			Scoped:   true,
			Description: "A check in TypeScript. It returns {success, message?, value?}, a boolean, a number or nothing; an " +
				"error that it throws is a failure.",
		}, runInline),
		check.NewCollector(check.Kind{
			ID: "healthcheck-script.execute", Name: "Shell script", Category: "Scripts", Scoped: true,
			Description: "A check in shell, with the commands of the sandbox. Its exit code says how it went.",
		}, runShell),
	)
}

func runInline(ctx context.Context, run check.Run, _ struct{}, c *inlineConfig) (*inlineResult, error) {
	config, err := json.Marshal(c.Config)
	if err != nil {
		return nil, err
	}
	o, err := runScript(ctx, run, check.ScriptInput{
		Language: "typescript", Source: c.Script, Config: config, Env: joined(c.Env, c.SecretEnv),
		Timeout: milli(c.Timeout),
	})
	if err != nil {
		return nil, err
	}
	r := &inlineResult{ExecutionTimeMs: milliseconds(o.Took), TimedOut: o.TimedOut, Withheld: o.Withheld}
	said := struct {
		Success bool     `json:"success"`
		Message string   `json:"message"`
		Value   *float64 `json:"value"`
	}{Message: o.Error}
	if o.Error == "" && !o.TimedOut {
		if err := json.Unmarshal(o.Result, &said); err != nil {
			return nil, fmt.Errorf("read the result of a script: %w", err)
		}
	}
	r.Success, r.Message, r.Value = said.Success, r.clip("message", said.Message, mostMessage), said.Value
	if r.Success && !o.Refused {
		return r, nil
	}
	return r, scriptFailure(o, otherwise(brief(r.Message), "the script says that it is not well"))
}

func runShell(ctx context.Context, run check.Run, _ struct{}, c *executeConfig) (*executeResult, error) {
	o, err := runScript(ctx, run, check.ScriptInput{
		Language: "shell", Source: c.Script, Env: joined(c.Env, c.SecretEnv), Timeout: milli(c.Timeout),
	})
	if err != nil {
		return nil, err
	}
	ended := commandResult{ExitCode: o.ExitCode, Stderr: o.Stderr}
	failure := ended.judge("The script", c.SuccessCodes)
	r := &executeResult{
		ExitCode: o.ExitCode, ExecutionTimeMs: milliseconds(o.Took), Success: ended.Success && o.Error == "", TimedOut: o.TimedOut,
		Withheld: o.Withheld,
	}
	if o.OutputCut {
		r.note("only the beginning of the output was looked at, as much as the script policy allows", "stdout", "stderr")
	}
	r.Stdout, r.Stderr = r.clip("stdout", o.Stdout, mostOutput), r.clip("stderr", o.Stderr, mostOutput)
	switch {
	case r.Success && !o.Refused:
		return r, nil
	case o.Error != "":
		return r, scriptFailure(o, brief(o.Error))
	case failure != nil:
		return r, scriptFailure(o, failure.Error())
	default:
		return r, scriptFailure(o, "")
	}
}

// runScript runs a script in the sandbox.
func runScript(ctx context.Context, run check.Run, in check.ScriptInput) (check.ScriptOutput, error) {
	if run.Scripts == nil {
		return check.ScriptOutput{}, check.Fail(check.NotRunnable, "This installation runs no scripts of checks.")
	}
	in.Scope = run.Scope
	o, err := run.Scripts.Run(ctx, in)
	if err == nil {
		return o, nil
	}
	if failure, ok := errors.AsType[*check.Failure](err); ok {
		return o, failure
	}
	if ctx.Err() != nil {
		return o, check.Fail(check.TimedOut, "The script did not end in time.")
	}
	return o, err
}

// scriptFailure explains a failed script. Denials by the script policy take precedence, because the failure then says
// nothing about the target.
func scriptFailure(o check.ScriptOutput, said string) error {
	switch {
	case o.Withheld != "":
		return check.Fail(check.NotRunnable, o.Withheld)
	case o.TimedOut:
		return check.Fail(check.TimedOut, "The script did not end in time.")
	default:
		return check.Fail(check.WrongAnswer, sentence(said))
	}
}

// joined merges the variables of a script. A secret wins over a plain variable of its name.
func joined(plain, secrets map[string]string) map[string]string {
	all := make(map[string]string, len(plain)+len(secrets))
	maps.Copy(all, plain)
	maps.Copy(all, secrets)
	return all
}

func milli(ms int) time.Duration { return time.Duration(ms) * time.Millisecond }

// Sends implements check.Sender. The requests of a script are only known when it runs; the script policy limits their
// addresses.
func (*scriptConfig) Sends() check.Sending { return check.Sending{} }

// Sends implements check.Sender.
func (c *inlineConfig) Sends() check.Sending { return scriptSends("TypeScript", c.Script) }

// Sends implements check.Sender.
func (c *executeConfig) Sends() check.Sending { return scriptSends("shell", c.Script) }

func scriptSends(language, source string) check.Sending {
	lines := strings.Count(strings.TrimSpace(source), "\n") + 1
	return check.Sending{Lines: []string{fmt.Sprintf("It runs a %s script of %d lines, which can send anything that "+
		"the script policy allows: %s", language, lines, excerpt(source))}}
}
