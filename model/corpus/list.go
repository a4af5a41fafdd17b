package corpus

import (
	"fmt"
	"net/http"
	"strings"
)

// Recorded reports that others have recorded the sample: its source is a repository, not a page.
func (s Sample) Recorded() bool {
	return !strings.HasPrefix(s.Source, "http") && s.Confirmed != "report"
}

// confirmation names the evidence for a sample.
func (s Sample) confirmation() string {
	switch {
	case s.Recorded():
		return "recorded"
	case s.Confirmed == "clients":
		return "page, wording confirmed by clients"
	case s.Confirmed == "report":
		return "made after a public report"
	case s.Confirmed == "page":
		return "page"
	default:
		return s.Confirmed
	}
}

// read summarizes a reading.
func (r Reading) read() string {
	if r.Failure != "" {
		said := strings.TrimSpace(r.Failure + " " + r.Reason)
		if r.Retryable {
			said += ", try again"
		}
		if r.After > 0 {
			said += fmt.Sprintf(" after %s", r.After)
		}
		return said
	}
	var read []string
	if r.Thoughts != "" {
		read = append(read, "thoughts")
	}
	if r.Text != "" {
		read = append(read, "text")
	}
	switch n := len(r.Calls); n {
	case 0:
	case 1:
		read = append(read, "a call")
	default:
		read = append(read, fmt.Sprintf("%d calls", n))
	}
	if r.Input+r.Output > 0 {
		read = append(read, "usage")
	}
	return strings.Join(append(read, "ends with "+r.Finish), ", ")
}

// List renders the judged cases as a page.
func List(samples []Sample) string {
	var list strings.Builder
	recorded := 0
	for _, s := range samples {
		if s.Recorded() {
			recorded++
		}
	}
	fmt.Fprintf(&list, "# What providers send, and how it is read\n\n"+
		"%d samples, %d of them recorded by others. `go test ./model -run TestTheListOfJudgedCases -update` writes this "+
		"list from the samples.\n\n"+
		"| Provider | Sample | Status | What is read | Kind | Source |\n| --- | --- | --- | --- | --- | --- |\n", len(samples), recorded)
	for _, s := range samples {
		status := ""
		if s.Status != http.StatusOK {
			status = fmt.Sprint(s.Status)
		}
		fmt.Fprintf(
			&list,
			"| %s | %s | %s | %s | %s | %s |\n",
			s.Provider,
			cell(s.Name),
			status,
			cell(s.Reading.read()),
			s.confirmation(),
			cell(s.Source),
		)
	}
	return list.String()
}

func cell(text string) string { return strings.ReplaceAll(text, "|", `\|`) }
