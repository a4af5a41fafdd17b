package script

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"mvdan.cc/sh/v3/syntax"

	"countersign/internal/problem"
	"countersign/script/sdk"
	"countersign/script/typescript"
)

// untyped are TypeScript's errors about values without a declared type, which is right in JavaScript.
var untyped = []int{7005, 7006, 7019, 7031, 7034}

// maxSaid bounds the errors that are quoted of a source.
const maxSaid = 3

// Sources checks the sources of scripts that are saved to run later.
type Sources struct{ compiler SourceChecker }

// SourceChecker diagnoses TypeScript; *typescript.Compiler implements it.
type SourceChecker interface {
	Check(ctx context.Context, source string, in sdk.Context) (typescript.Report, error)
}

// NewSources returns a Sources that checks TypeScript with c.
func NewSources(c SourceChecker) *Sources { return &Sources{c} }

// CheckSource returns what is wrong with a source of a health check, "" for nothing. Types that could not be checked in time are not
// wrong: the run will tell.
func (s *Sources) CheckSource(ctx context.Context, language, source string) (string, error) {
	if sdk.Language(language) == sdk.Shell {
		return shellError(source), nil
	}
	report, err := s.compiler.Check(ctx, source, sdk.HealthCheckScript)
	if known := problem.As(err); err != nil && problem.Is(err, problem.Invalid) {
		return known.Detail, nil
	}
	if err != nil {
		return "", fmt.Errorf("check the source of a script: %w", err)
	}
	var said []string
	more := 0
	for _, d := range report.Diagnostics {
		switch {
		case d.Severity != typescript.Error || slices.Contains(untyped, d.Code):
		case len(said) == maxSaid:
			more++
		default:
			said = append(said, fmt.Sprintf("line %d, column %d: %s", d.Line, d.Column, strings.TrimSuffix(d.Message, ".")))
		}
	}
	if len(said) == 0 {
		return "", nil
	}
	text := "does not compile: " + strings.Join(said, "; ")
	if more > 0 {
		text += fmt.Sprintf("; and %d more", more)
	}
	return text, nil
}

// shellError parses a script as the shell of the sandbox does.
func shellError(source string) string {
	if !utf8.ValidString(source) {
		return "is not UTF-8"
	}
	_, err := syntax.NewParser(syntax.Variant(syntax.LangBash)).Parse(strings.NewReader(source), "")
	if err == nil {
		return ""
	}
	return "is no shell script: " + strings.TrimPrefix(err.Error(), ":")
}
