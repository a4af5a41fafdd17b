package healthcheck

import "countersign/check"

// verdicts and causes in words, as clients get them.
var verdicts = map[check.Verdict]string{check.Passed: "passed", check.Failed: "failed", check.Errored: "errored", check.Skipped: "skipped"}

func verdictWord(v check.Verdict) string { return verdicts[v] }

// verdictOf is the verdict of a word; ok is false for any other word.
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

// causeWord is a cause in a word; one that is not known is our own failure.
func causeWord(c check.Cause) string {
	if word, ok := causes[c]; ok {
		return word
	}
	return causes[check.HostFailed]
}
