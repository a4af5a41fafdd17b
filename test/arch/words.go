package arch

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"path"
	"regexp"
	"strings"
	"unicode"
)

// Finding is a place where a text breaks a rule of words.
type Finding struct {
	// File is a path from the root, with slashes. Line counts from 1.
	File string
	Line int
	// Text is what breaks the rule, such as "somebody".
	Text string
	// Want says what to write.
	Want string
}

func (f Finding) String() string { return fmt.Sprintf("%s:%d: %q: %s", f.File, f.Line, f.Text, f.Want) }

type wordRule struct {
	pattern *regexp.Regexp
	want    string
}

// proseRules hold for comments and for the texts that people read. The first is about the openings of sentences.
var proseRules = []wordRule{
	{regexp.MustCompile(`(?:^|[.:!?] )(?:Who|Whoever|What) [a-z]+`), "begin a sentence with its subject, not with a relative clause"},
	{regexp.MustCompile(`(?i)\bwhoever\b`), "name the role or the caller"},
	{regexp.MustCompile(`(?i)\bsomebody\b`), "name the role: a user, an operator, an administrator"},
	{regexp.MustCompile(`(?i)\banew\b`), "write again, or the verb: recreated, retried"},
	{regexp.MustCompile(`(?i)\bfares?\b`), "write health or status"},
	{regexp.MustCompile(`(?i)\bat the most\b`), "write at most"},
	{regexp.MustCompile(`(?i)\bas it were\b`), "leave it out"},
	{regexp.MustCompile(`(?i)\b(?:is|are|was|were) (?:told|asked|heard)\b`), "name the subject and use the active voice"},
}

// nameWords are parts of identifiers with the term to use instead.
var nameWords = map[string]string{
	"mourning": "deathConfirmation", "amnesia": "staleObservationLimit", "reunion": "reconnectGrace",
	"patience": "timeout, named for what it bounds", "impatience": "degradedTimeout", "unhurried": "withoutDegradedTimeout",
	"rouser": "ClaimShares", "steered": "withRetryHints", "lapsed": "claimExpired, expired",
	"bell": "notifier", "horizon": "watermark", "park": "deadLetter", "parked": "deadLetter",
	"pare": "rebase", "untold": "hiddenInput", "hearing": "subscription", "convoy": "batch",
	"somebody": "the role", "whoever": "the role", "anew": "again",
}

// Words finds violations of the rules of words in the comments and identifiers of Go files, in the comments of SQL and
// TypeScript, and in documents. Generated files are left out.
func Words(root fs.FS, skip func(name string) bool) ([]Finding, error) {
	var found []Finding
	err := walk(root, func(file string) error {
		if skip(file) || strings.Contains(file, "testdata/") {
			return nil
		}
		switch path.Ext(file) {
		case ".go":
			text, err := fs.ReadFile(root, file)
			if err != nil {
				return err
			}
			f, err := goWords(file, text)
			found = append(found, f...)
			return err
		case ".sql", ".ts", ".tsx":
			text, err := fs.ReadFile(root, file)
			if err != nil {
				return err
			}
			found = append(found, lineWords(file, string(text))...)
		case ".md":
			text, err := fs.ReadFile(root, file)
			if err != nil {
				return err
			}
			if isDocument(file) {
				found = append(found, documentWords(file, string(text))...)
			}
		}
		return nil
	})
	return found, err
}

func goWords(file string, text []byte) ([]Finding, error) {
	set := token.NewFileSet()
	tree, err := parser.ParseFile(set, file, text, parser.ParseComments)
	if err != nil {
		return nil, err
	}
	if ast.IsGenerated(tree) {
		return nil, nil
	}
	var found []Finding
	for _, group := range tree.Comments {
		found = append(found, prose(file, set.Position(group.Pos()).Line, group.Text())...)
	}
	seen := map[string]bool{}
	ast.Inspect(tree, func(n ast.Node) bool {
		name, ok := n.(*ast.Ident)
		if !ok || name.Obj == nil && !ast.IsExported(name.Name) || seen[name.Name] {
			return true
		}
		seen[name.Name] = true
		for _, part := range parts(name.Name) {
			if want, banned := nameWords[part]; banned {
				found = append(found, Finding{file, set.Position(name.Pos()).Line, name.Name, "use " + want})
			}
		}
		return true
	})
	return found, nil
}

// prose looks at a comment as a whole, because its sentences go on over lines.
func prose(file string, line int, text string) []Finding {
	return proseBy(proseRules, file, line, text)
}

func proseBy(rules []wordRule, file string, line int, text string) []Finding {
	var found []Finding
	flat := strings.ReplaceAll(text, "\n", " ")
	for _, rule := range rules {
		for _, at := range rule.pattern.FindAllStringIndex(flat, -1) {
			found = append(found, Finding{file, line + strings.Count(text[:at[0]], "\n"), flat[at[0]:at[1]], rule.want})
		}
	}
	return found
}

var lineComment = regexp.MustCompile(`^\s*(?:--|//|/?\*+)\s?(.*?)(?:\*/)?$`)

// lineWords looks at comments that have lines of their own.
func lineWords(file, text string) []Finding {
	var found []Finding
	var comment []string
	end := func(line int) {
		if len(comment) > 0 {
			found = append(found, prose(file, line-len(comment), strings.Join(comment, "\n"))...)
			comment = nil
		}
	}
	lines := strings.Split(text, "\n")
	for i, line := range lines {
		if match := lineComment.FindStringSubmatch(line); match != nil {
			comment = append(comment, match[1])
			continue
		}
		end(i + 1)
	}
	end(len(lines) + 1)
	return found
}

// parts are the words of an identifier in lower case: "parkedByID" has "parked", "by" and "id".
func parts(name string) []string {
	var out []string
	var word []rune
	end := func() {
		if len(word) > 0 {
			out = append(out, strings.ToLower(string(word)))
			word = nil
		}
	}
	for _, r := range name {
		if unicode.IsUpper(r) && (len(word) == 0 || !unicode.IsUpper(word[len(word)-1])) || r == '_' {
			end()
		}
		if r != '_' {
			word = append(word, r)
		}
	}
	end()
	return out
}
