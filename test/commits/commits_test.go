package commits_test

import (
	"os"
	"os/exec"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"countersign/test/commits"
)

// since is the last commit that is not checked: the rule is younger than the history before it.
const since = "304dae47c2d6ae17f712e5136800f1a4a15b05e2"

func git(t *testing.T, args ...string) (string, bool) {
	t.Helper()
	out, err := exec.CommandContext(t.Context(), "git", args...).Output()
	return strings.TrimSpace(string(out)), err == nil
}

// newCommits are those after the merge base with the upstream branch, or else after since. A clone without the history
// knows neither, and has its last commit checked alone.
func newCommits(t *testing.T) []string {
	t.Helper()
	// A file that changes with each commit keeps go test from answering out of its cache.
	_, _ = os.ReadFile("../../.git/logs/HEAD")
	head, ok := git(t, "rev-parse", "--verify", "--quiet", "HEAD")
	if !ok {
		t.Skip("not in a clone of the repository")
	}
	args := []string{"log", "--no-merges", "--format=%s", "HEAD"}
	known := false
	for _, upstream := range []string{"@{upstream}", "origin/HEAD", "origin/main"} {
		if base, ok := git(t, "merge-base", "HEAD", upstream); ok && base != head {
			args, known = append(args, "^"+base), true
			break
		}
	}
	if _, ok := git(t, "merge-base", "--is-ancestor", since, "HEAD"); ok {
		args, known = append(args, "^"+since), true
	}
	if !known {
		args = append(args, "--max-count=1")
	}
	subjects, ok := git(t, args...)
	require.True(t, ok, "git %s", strings.Join(args, " "))
	return strings.FieldsFunc(subjects, func(r rune) bool { return r == '\n' })
}

func TestSubjectsOfNewCommitsKeepTheRules(t *testing.T) {
	t.Parallel()
	for _, subject := range newCommits(t) {
		for _, fault := range commits.Check(subject) {
			t.Errorf("the subject %q %s", subject, fault)
		}
	}
}

func TestSubjectsAreImperativeAndShort(t *testing.T) {
	t.Parallel()
	for _, good := range []string{
		"Skip takeover while own lease is lost", "Pass the deadline on", "Address findings", "Embed zones", "Merge branch 'x'",
	} {
		require.Empty(t, commits.Check(good), good)
	}
	for subject, fault := range map[string]string{
		"Added a check":                      "imperative",
		"Adds a check":                       "imperative",
		"Adding a check":                     "imperative",
		"Fixes a check":                      "imperative",
		"Passes the deadline on":             "imperative",
		"Add a check.":                       "full stop",
		"add a check":                        "capital letter",
		"API: add a check":                   "label",
		"Add " + strings.Repeat("long ", 15): "72",
	} {
		require.Contains(t, strings.Join(commits.Check(subject), "; "), fault, subject)
	}
}
