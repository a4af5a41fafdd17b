// Package typescript turns the TypeScript of authors into JavaScript for the sandbox, and tells them what is wrong with
// it: syntax, imports and types, with positions in their source.
//
// The work is done in child processes: this binary, started again with a hidden command. Some sources of a few hundred
// bytes keep a type checker or a bundler busy for minutes or want gigabytes, and a goroutine cannot be stopped. A child
// is killed at its limit of time and dies at its limit of memory; then only what was not ready is lost, and another
// child takes its place. Children are kept warm, see no environment variables of the product, and open no files.
//
// Diagnostics help authors; they are no security boundary. The sandbox is.
package typescript

import (
	"context"
	"errors"
	"fmt"
	"time"
	"unicode/utf8"

	"countersign/problem"
	"countersign/script/sdk"
)

// MaxSource is the most characters that a source may have.
const MaxSource = 100_000

// Rule is the kind of a Diagnostic.
type Rule string

// The rules. An error of any rule but Types means that there is no JavaScript.
const (
	// Syntax: the source cannot be read.
	Syntax Rule = "syntax"
	// Imports: the source names a module that does not exist for it.
	Imports Rule = "import"
	// Shape: the source does not export what its context needs.
	Shape Rule = "shape"
	// Types: the type checker has found something.
	Types Rule = "type"
)

// Severity says how bad a Diagnostic is.
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
	// Code is the number that TypeScript gives to a message, 0 for one of the product.
	Code      int    `json:"code,omitempty"`
	Message   string `json:"message"`
	Line      int    `json:"line"`
	Column    int    `json:"column"`
	EndLine   int    `json:"endLine"`
	EndColumn int    `json:"endColumn"`
}

// Reason is why types were not checked.
type Reason string

// The reasons.
const (
	// SyntaxFirst: there are syntax errors.
	SyntaxFirst Reason = "syntax_errors"
	// TooSlow: the check did not end in its time.
	TooSlow Reason = "too_slow"
	// TooLarge: the check wanted more memory, or a deeper stack, than it may have.
	TooLarge Reason = "too_large"
	// Crashed: the type checker broke on the source.
	Crashed Reason = "crashed"
	// NotAsked: the caller wanted no check.
	NotAsked Reason = "not_asked"
)

// Text says the reason to an author. It is "" for none.
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

// Report is what is known about a source.
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

// Compiled is a source as the sandbox runs it.
type Compiled struct {
	Report

	// JS is an ES module without imports, "" when an error keeps it from being made. Its default export is an async
	// function of the script's context that runs the author's module and answers what the author's function returns. It is
	// called once: the module runs once. During the run the global context is that context, too.
	JS string
	// SourceMap leads from JS to the source: see Positions.
	SourceMap []byte
}

// size is about how many bytes of memory it holds.
func (c Compiled) size() int {
	size := 512 + len(c.JS) + len(c.SourceMap)
	for _, d := range c.Diagnostics {
		size += 128 + len(d.Message)
	}
	return size
}

// Options are the limits of a Compiler. Zero fields take defaults.
type Options struct {
	// Processes is how many sources are worked on at a time: 2.
	Processes int
	// Timeout bounds the wall-clock time of one source: 3 s.
	Timeout time.Duration
	// Patience is after how long a source is one that takes long, whose process gives way to all others: 500 ms.
	Patience time.Duration
	// Memory bounds what a child allocates, in bytes: 768 MiB.
	Memory int
	// Uses is after how many sources a child is replaced: 1,000. It is also replaced when it has grown.
	Uses int
	// CacheBytes bounds the results that are kept: 16 MiB.
	CacheBytes int
}

func (o Options) withDefaults() Options {
	return Options{
		Processes: otherwise(o.Processes, 2),
		Timeout:   otherwise(o.Timeout, 3*time.Second),
		Patience: otherwise(
			o.Patience,
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

// New makes a Compiler. Its processes start when they are first needed.
func New(o Options) *Compiler {
	o = o.withDefaults()
	return &Compiler{newPool(o), newCache(o.CacheBytes, time.Minute, Compiled.size), newCache(o.CacheBytes, time.Minute, CompiledTool.size)}
}

// Compile makes JavaScript of a source and checks its types. Errors in the types do not keep it from being made: whether
// they matter is for the caller to decide. The error is a *problem.Error when the source cannot be worked on.
func (c *Compiler) Compile(ctx context.Context, source string, in sdk.Context) (Compiled, error) {
	return c.do(ctx, request{Source: source, Context: in, Emit: true, Types: true})
}

// Transpile makes JavaScript of a source without checking its types, for the one who runs what was checked before.
func (c *Compiler) Transpile(ctx context.Context, source string, in sdk.Context) (Compiled, error) {
	return c.do(ctx, request{Source: source, Context: in, Emit: true})
}

// Check says what is wrong with a source, types included.
func (c *Compiler) Check(ctx context.Context, source string, in sdk.Context) (Report, error) {
	compiled, err := c.do(ctx, request{Source: source, Context: in, Types: true})
	return compiled.Report, err
}

// Close ends the processes. What is being worked on fails.
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

// outcome is how the work on a source ended.
type outcome struct {
	answers []answer
	// ended is why the process did not get to its end, "" when it did.
	ended Reason
	// took is how long a process worked, without the wait for one.
	took time.Duration
}

func (o outcome) compiled(r request) (Compiled, error) {
	var c Compiled
	// complete is set when nothing but the check of types can be missing.
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
