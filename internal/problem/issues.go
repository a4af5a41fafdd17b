package problem

import (
	"fmt"
	"strings"
)

// maxIssues keeps the answer about a hopeless input readable.
const maxIssues = 20

// Issues collects the issues of an input, so that its author gets all of them at once. The zero value is ready.
type Issues struct{ list []Issue }

// Report adds an issue. After the first 20 it adds no more.
func (i *Issues) Report(path, format string, args ...any) {
	if len(i.list) < maxIssues {
		i.list = append(i.list, Issue{Path: path, Message: fmt.Sprintf(format, args...)})
	}
}

// Absorb takes over the issues of an Invalid error; any other error it returns.
func (i *Issues) Absorb(err error) error {
	if !Is(err, Invalid) {
		return err
	}
	for _, issue := range As(err).Issues {
		i.Report(issue.Path, "%s", issue.Message)
	}
	return nil
}

// Count returns the number of issues.
func (i *Issues) Count() int { return len(i.list) }

// Err is nil when nothing was reported, else an Invalid error that names every issue.
func (i *Issues) Err() error {
	if len(i.list) == 0 {
		return nil
	}
	texts := make([]string, len(i.list))
	for n, issue := range i.list {
		texts[n] = strings.TrimSpace(issue.Path + " " + issue.Message)
	}
	return InvalidInput("Please correct: "+strings.Join(texts, "; ")+".", i.list...)
}
