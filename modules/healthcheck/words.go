package healthcheck

import "countersign/check"

// verdicts and causes in words, as clients get them.
var verdicts = map[check.Verdict]string{check.Passed: "passed", check.Failed: "failed", check.Errored: "errored", check.Skipped: "skipped"}

func verdictWord(v check.Verdict) string { return verdicts[v] }

// verdictOf parses a verdict; ok is false for an unknown word.
func verdictOf(word string) (verdict check.Verdict, ok bool) {
	for v, w := range verdicts {
		if w == word {
			return v, true
		}
	}
	return 0, false
}

var causes = map[check.Cause]string{
	check.None:            "none",
	check.Refused:         "refused",
	check.TimedOut:        "timed-out",
	check.NameNotFound:    "name-not-found",
	check.Unreachable:     "unreachable",
	check.Broken:          "broken",
	check.BadCertificate:  "bad-certificate",
	check.BadProtocol:     "bad-protocol",
	check.NotAdmitted:     "not-admitted",
	check.WrongAnswer:     "wrong-answer",
	check.AssertionFailed: "assertion-failed",
	check.Silent:          "silent",
	check.EgressRefused:   "egress-refused",
	check.SecretMissing:   "secret-missing",
	check.TemplateFailed:  "template-failed",
	check.NotRunnable:     "not-runnable",
	check.HostFailed:      "host-failed",
	check.Overloaded:      "overloaded",
}

// causeWord formats a cause; an unknown one is an internal error.
func causeWord(c check.Cause) string {
	if word, ok := causes[c]; ok {
		return word
	}
	return causes[check.HostFailed]
}
