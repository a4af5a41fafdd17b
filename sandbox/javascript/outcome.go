package javascript

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"time"

	"countersign/sandbox"
)

const (
	// preludeName is the file name of the prelude in stacks, which omit it.
	preludeName = "countersign:prelude"
	// spare is the memory beyond the limit that the description of an error may use, in bytes.
	spare = 8 << 20
)

// outcome derives the outcome of the run from the error of execute and from the contexts.
func (r *run) outcome(caller context.Context, err error) (sandbox.Outcome, error) {
	o := sandbox.Outcome{Kind: sandbox.OK, Result: r.result, ExitCode: -1}
	if err != nil {
		o.Result = nil
		if o.Kind, o.Failure = r.classify(err); o.Kind == "" {
			if caller.Err() != nil {
				return sandbox.Outcome{}, caller.Err()
			}
			return sandbox.Outcome{}, err
		}
		if caller.Err() != nil && o.Kind == sandbox.Timeout {
			return sandbox.Outcome{}, caller.Err()
		}
	}
	r.clean = err == nil || o.Kind == sandbox.Failed || o.Kind == sandbox.ResultNotJSON || o.Kind == sandbox.ResultTooLarge ||
		o.Kind == sandbox.Stalled
	o.Logs, o.Stdout, o.Stderr, o.OutputCut = r.logs, r.stdout.String(), r.stderr.String(), r.cut
	o.Duration, o.HostCalls, o.MemoryPeak = time.Since(r.began), r.calls, int(r.in.module.Memory().Size())
	return o, nil
}

// classify finds the kind of an error. A decision of the host takes precedence, then the timeout.
func (r *run) classify(err error) (sandbox.Kind, *sandbox.Failure) {
	say := func(kind sandbox.Kind, format string, args ...any) (sandbox.Kind, *sandbox.Failure) {
		return kind, &sandbox.Failure{Message: fmt.Sprintf(format, args...)}
	}
	var t *thrown
	switch {
	case r.stopped != "":
		return say(r.stopped, "%s", r.reason)
	case r.late():
		return say(sandbox.Timeout, "the script did not end within %s", r.limits.Timeout)
	case errors.Is(err, errStalled):
		return say(sandbox.Stalled, "the script waits for a promise that nothing will settle")
	case errors.Is(err, errTooLarge):
		return say(sandbox.ResultTooLarge, "the result is larger than %d bytes", r.limits.Result)
	case errors.Is(err, errTooDeep):
		return say(sandbox.ResultNotJSON, "the result is nested too deeply")
	case errors.As(err, &t):
		return r.failure(t)
	case errors.Is(err, errMemory):
		return r.memory()
	default:
		return say(sandbox.Trap, "the script broke its engine: %s", firstLine(err.Error()))
	}
}

func (r *run) late() bool { return r.ctx.Err() != nil || !time.Now().Before(r.deadline) }

func (r *run) memory() (sandbox.Kind, *sandbox.Failure) {
	return sandbox.Memory, &sandbox.Failure{Message: fmt.Sprintf("the script wanted more memory than %d bytes", r.limits.Memory)}
}

// description is the prelude's description of an exception.
type description struct {
	Kind    sandbox.Kind `json:"kind"`
	Name    string       `json:"name"`
	Message string       `json:"message"`
	Stack   string       `json:"stack"`
	Thrown  string       `json:"thrown"`
	// Code is the member code of the thrown value; Engine says whether only the engine makes such an error.
	Code   string `json:"code"`
	Engine bool   `json:"engine"`
	// Causes are a few errors below this one, each with its relation: "cause: TypeError: text".
	Causes []string `json:"causes"`
}

// failure describes an exception. Its getters are code of the script, so that the timeout can end the description.
func (r *run) failure(t *thrown) (sandbox.Kind, *sandbox.Failure) {
	d, err := r.describe(t)
	switch {
	case err != nil && r.late():
		return r.classify(err)
	case errors.Is(err, errMemory):
		return r.memory()
	case errors.As(err, new(*thrown)):
		return sandbox.Failed, &sandbox.Failure{Name: "Error", Message: "an error that cannot be read"}
	case err != nil:
		return r.classify(err)
	case d.Kind == sandbox.ResultNotJSON:
		return d.Kind, &sandbox.Failure{Message: d.Message}
	case d.Engine && (d.Message == "out of memory" || d.Message == "string too long"), d.Thrown == "null" && r.nearLimit():
		return r.memory()
	case r.refused != "" && d.Message == r.refused:
		return sandbox.ImportRefused, &sandbox.Failure{Message: d.Message, Stack: sandbox.Frames(d.Stack, preludeName)}
	default:
		message := d.Message
		if len(d.Causes) > 0 {
			message += " (" + strings.Join(d.Causes, "; ") + ")"
		}
		return sandbox.Failed, &sandbox.Failure{Name: d.Name, Message: message, Code: d.Code, Stack: sandbox.Frames(d.Stack, preludeName)}
	}
}

// nearLimit reports whether memory is so short that the engine may have thrown null instead of an error.
func (r *run) nearLimit() bool {
	return int(r.in.module.Memory().Size()) > r.limits.Memory/10*9
}

func (r *run) describe(t *thrown) (description, error) {
	ctx := context.WithValue(r.ctx, runKey{}, r)
	in := r.in
	var d description
	if _, err := in.outer.call(ctx, "qjs_set_memory_limit", uint64(len(r.engine.snapshot.memory)+r.limits.Memory+spare)); err != nil {
		return d, err
	}
	v, err := in.apply(ctx, in.describe, t.reason)
	if err != nil {
		return d, err
	}
	err = in.text(ctx, &in.outer, v, func(text []byte, _ uint64) error { return json.Unmarshal(text, &d) })
	if d.Message == "" {
		d.Message = cmp.Or(d.Name, "an error without a message")
	}
	return d, err
}

func firstLine(text string) string {
	line, _, _ := strings.Cut(text, "\n")
	return line
}
