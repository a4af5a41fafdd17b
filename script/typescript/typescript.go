// Package typescript compiles the TypeScript of authors to JavaScript for the sandbox, and diagnoses syntax, imports
// and types, with positions in their source.
//
// The compiler runs in child processes: this binary, started again with a hidden command. Some sources of a few hundred
// bytes keep a type checker or a bundler busy for minutes or need gigabytes, and a goroutine cannot be stopped. A child
// is killed at its timeout and dies at its memory limit; only unfinished results are lost, and another child takes its
// place. Children are kept warm, see no environment variables of the product, and open no files.
//
// Diagnostics help authors; they are no security boundary. The sandbox is.
package typescript

import (
	"context"
	"errors"
	"fmt"
	"time"
	"unicode/utf8"

	"countersign/internal/problem"
	"countersign/script/sdk"
)

// MaxSource bounds a source, in characters.
const MaxSource = 100_000

// Rule is the kind of a Diagnostic.
type Rule string

// The rules. An error of any rule but Types means that there is no JavaScript.
const (
	// Syntax: the source cannot be parsed.
	Syntax Rule = "syntax"
	// Imports: the source imports a module that its context lacks.
	Imports Rule = "import"
	// Shape: the source does not export what its context needs.
	Shape Rule = "shape"
	// Types: the type checker reports an error.
	Types Rule = "type"
)

// Severity is the severity of a Diagnostic.
type Severity string

// The severities.
const (
	Error   Severity = "error"
	Warning Severity = "warning"
)

// Diagnostic is one finding in a source. Lines and columns count from 1, columns in UTF-16 code units as editors do. The
// end is exclusive.
type Diagnostic struct {
	Rule     Rule     `json:"rule"     enum:"syntax,import,shape,type"`
	Severity Severity `json:"severity" enum:"error,warning"`
	// Code is TypeScript's number of a message, 0 for one of the product.
	Code      int    `json:"code,omitempty"`
	Message   string `json:"message"`
	Line      int    `json:"line"`
	Column    int    `json:"column"`
	EndLine   int    `json:"endLine"`
	EndColumn int    `json:"endColumn"`
}

// Reason is the reason why types were not checked.
type Reason string

// The reasons.
const (
	// SyntaxFirst: there are syntax errors.
	SyntaxFirst Reason = "syntax_errors"
	// TooSlow: the check reached its timeout.
	TooSlow Reason = "too_slow"
	// TooLarge: the check exceeded its memory or stack limit.
	TooLarge Reason = "too_large"
	// Crashed: the type checker broke on the source.
	Crashed Reason = "crashed"
	// NotAsked: the caller requested no check.
	NotAsked Reason = "not_asked"
)

// Text explains the reason to an author. It is "" for none.
func (r Reason) Text() string {
	switch r {
	case SyntaxFirst:
		return "The types were not checked: correct the syntax first."
	case TooSlow:
		return "The types were not checked: it took too long."
	case TooLarge:
		return "The types were not checked: it needed too much memory."
	case Crashed:
		return "The types were not checked: the type checker failed on this source."
	case NotAsked:
		return "The types were not checked."
	}
	return ""
}

// Report is the result of a check.
type Report struct {
	// Diagnostics are sorted by position, at most 100.
	Diagnostics []Diagnostic `json:"diagnostics" nullable:"false"`
	// Checked is set when the types were checked; otherwise Reason says why not.
	Checked bool   `json:"checked"`
	Reason  Reason `json:"reason,omitempty"`
}

// Errors reports whether a diagnostic is an error.
func (r Report) Errors() bool {
	for _, d := range r.Diagnostics {
		if d.Severity == Error {
			return true
		}
	}
	return false
}

// Compiled is a compiled source.
type Compiled struct {
	Report

	// JS is an ES module without imports, "" when an error prevents it. Its default export is an async function of the
	// script's context that runs the author's module and returns the author's result. Call it once: the module runs
	// once. During the run the global context is that context, too.
	JS string
	// SourceMap maps JS to the source: see Positions.
	SourceMap []byte
}

// size estimates its memory in bytes.
func (c Compiled) size() int {
	size := 512 + len(c.JS) + len(c.SourceMap)
	for _, d := range c.Diagnostics {
		size += 128 + len(d.Message)
	}
	return size
}

// Options are the limits of a Compiler. Zero fields take defaults.
type Options struct {
	// Processes is the number of child processes, which bounds concurrent sources: 2.
	Processes int
	// Timeout bounds the wall-clock time of one source: 3 s.
	Timeout time.Duration
	// LowPriorityAfter is the time after which a source's process continues at low priority: 500 ms.
	LowPriorityAfter time.Duration
	// Memory bounds the allocations of a child, in bytes: 768 MiB.
	Memory int
	// Uses is the number of sources after which a child is replaced: 1,000. Memory growth also replaces it.
	Uses int
	// CacheBytes bounds the cached results: 16 MiB.
	CacheBytes int
}

func (o Options) withDefaults() Options {
	return Options{
		Processes: otherwise(o.Processes, 2),
		Timeout:   otherwise(o.Timeout, 3*time.Second),
		LowPriorityAfter: otherwise(
			o.LowPriorityAfter,
			500*time.Millisecond,
		),
		Memory:     otherwise(o.Memory, 768<<20),
		Uses:       otherwise(o.Uses, 1_000),
		CacheBytes: otherwise(o.CacheBytes, 16<<20),
	}
}

func otherwise[T int | time.Duration](value, standard T) T {
	if value <= 0 {
		return standard
	}
	return value
}

// Compiler compiles and checks sources. It is safe for concurrent use.
type Compiler struct {
	pool  *pool
	cache *cache[Compiled]
	tools *cache[CompiledTool]
}

// New returns a Compiler. Its processes start when they are first needed.
func New(o Options) *Compiler {
	o = o.withDefaults()
	return &Compiler{newPool(o), newCache(o.CacheBytes, time.Minute, Compiled.size), newCache(o.CacheBytes, time.Minute, CompiledTool.size)}
}

// Compile compiles a source and checks its types. Type errors do not prevent JavaScript: the caller decides whether
// they matter. The error is a *problem.Error when the source cannot be compiled at all.
func (c *Compiler) Compile(ctx context.Context, source string, in sdk.Context) (Compiled, error) {
	return c.do(ctx, request{Source: source, Context: in, Emit: true, Types: true})
}

// Transpile compiles a source without a type check, for sources that were checked before.
func (c *Compiler) Transpile(ctx context.Context, source string, in sdk.Context) (Compiled, error) {
	return c.do(ctx, request{Source: source, Context: in, Emit: true})
}

// Check diagnoses a source, types included.
func (c *Compiler) Check(ctx context.Context, source string, in sdk.Context) (Report, error) {
	compiled, err := c.do(ctx, request{Source: source, Context: in, Types: true})
	return compiled.Report, err
}

// Close ends the processes. Work in progress fails.
func (c *Compiler) Close() { c.pool.close() }

func (c *Compiler) do(ctx context.Context, r request) (Compiled, error) {
	if err := r.validate(); err != nil {
		return Compiled{}, err
	}
	key := r.key()
	if known, ok := c.cache.get(key); ok {
		return known, nil
	}
	o, err := c.pool.run(ctx, "", r)
	if err != nil {
		return Compiled{}, fmt.Errorf("compile TypeScript: %w", err)
	}
	compiled, err := o.compiled(r)
	if err != nil {
		return Compiled{}, err
	}
	c.cache.put(key, compiled, o.ended != "")
	return compiled, nil
}

func (r request) validate() error {
	if _, err := sdk.ParseContext(string(r.Context)); err != nil {
		return err
	}
	if r.Context == sdk.CustomTool {
		return problem.InvalidInput("A custom tool is compiled as a tool, not as a script.",
			problem.Issue{Path: "context", Message: "is not one of scripts"})
	}
	if r.Context.Language() != sdk.TypeScript {
		return problem.InvalidInput("Only TypeScript can be compiled.",
			problem.Issue{Path: "context", Message: "is a context of shell scripts"})
	}
	if !utf8.ValidString(r.Source) {
		return problem.InvalidInput("The source cannot be read.", problem.Issue{Path: "source", Message: "is not UTF-8"})
	}
	if n := utf8.RuneCountInString(r.Source); n > MaxSource {
		return problem.InvalidInput("The source is too long.", problem.Issue{
			Path: "source", Message: fmt.Sprintf("has %d characters; at most %d are allowed", n, MaxSource),
		})
	}
	return nil
}

// outcome is the result of the work on a source.
type outcome struct {
	answers []answer
	// ended is the reason why the process did not finish, "" when it did.
	ended Reason
	// took is the work time of a process, without the wait for one.
	took time.Duration
}

func (o outcome) compiled(r request) (Compiled, error) {
	var c Compiled
	// complete is set when only the type check can be missing.
	var complete bool
	for _, a := range o.answers {
		c.Diagnostics = append(c.Diagnostics, a.Diagnostics...)
		switch a.Stage {
		case outlined:
			complete = !r.Emit || len(a.Diagnostics) > 0
			if a.Broken {
				c.Reason = SyntaxFirst
			}
		case built:
			complete = true
			c.JS, c.SourceMap = a.JS, a.SourceMap
		case checked:
			c.Checked = true
		}
	}
	if !complete {
		return Compiled{}, tooHard(o.ended)
	}
	c.Diagnostics = tidy(c.Diagnostics)
	switch {
	case c.Checked || c.Reason != "":
	case r.Types:
		c.Reason = o.ended
	default:
		c.Reason = NotAsked
	}
	return c, nil
}

func tooHard(ended Reason) error {
	message := map[Reason]string{
		TooSlow:  "takes too long to compile; is something in it nested very deeply?",
		TooLarge: "needs too much memory to compile; is something in it nested very deeply?",
	}[ended]
	if message == "" {
		message = "makes the compiler fail; simplify it"
	}
	return problem.InvalidInput("The source cannot be compiled.", problem.Issue{Path: "source", Message: message})
}

var errClosed = errors.New("the compiler is closed")
