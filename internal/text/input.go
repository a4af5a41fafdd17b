package text

import (
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"

	"countersign/internal/problem"
)

// Line is a text of one line in the form in which it is stored: NFC, without white space around it. It may be empty. It
// reports what cannot be stored: more than limit characters, bytes that are not UTF-8, and characters that control or
// disguise. A selector of an emoji's form is left out: see plainEmoji.
func Line(issues *problem.Issues, path, value string, limit int) string {
	return visible(issues, path, value, limit, func(rune) bool { return false })
}

// Lines is Line for a text that may have line breaks and tabs. Each break becomes a single \n.
func Lines(issues *problem.Issues, path, value string, limit int) string {
	return visible(issues, path, strings.ReplaceAll(value, "\r\n", "\n"), limit, func(r rune) bool { return r == '\n' || r == '\t' })
}

// Query is text to look for, in the form in which names are compared. It may be anything that the database can compare.
func Query(issues *problem.Issues, path, value string) string {
	if !utf8.ValidString(value) || strings.ContainsRune(value, 0) {
		issues.Report(path, "is not text")
		return ""
	}
	return Key(value)
}

// Required reports a text that is empty.
func Required(issues *problem.Issues, path, value string) string {
	if value == "" {
		issues.Report(path, "must not be empty")
	}
	return value
}

// Tags are a set: lower case, sorted, each once. They are never nil.
func Tags(issues *problem.Issues, path string, values []string, most, limit int) []string {
	tags := []string{}
	if len(values) > most {
		issues.Report(path, "has %d tags, at most %d are allowed", len(values), most)
		return tags
	}
	for i, value := range values {
		at := path + "[" + strconv.Itoa(i) + "]"
		tags = append(tags, Required(issues, at, Line(issues, at, strings.ToLower(value), limit)))
	}
	slices.Sort(tags)
	return slices.Compact(tags)
}

func visible(issues *problem.Issues, path, value string, limit int, allowed func(rune) bool) string {
	if !utf8.ValidString(value) {
		issues.Report(path, "is not valid UTF-8")
		return value
	}
	value = norm.NFC.String(strings.TrimSpace(plainEmoji(value)))
	if n := utf8.RuneCountInString(value); n > limit {
		issues.Report(path, "is %d characters long, at most %d are allowed", n, limit)
	}
	hidden(value, allowed, func(_ int, r rune) bool {
		issues.Report(path, "has the character %U, which is not allowed", r)
		return false
	})
	return value
}
