package auth

import (
	"net/mail"
	"strings"
	"unicode/utf8"

	"countersign/auth/password"
	"countersign/internal/problem"
	"countersign/internal/text"
)

const (
	maxNameChars        = 200
	maxEmailBytes       = 254
	minPasswordChars    = 8
	maxPasswordBytes    = 256
	maxDescriptionChars = 2000
)

// validation checks an input and returns normalised values.
type validation struct{ problem.Issues }

// name is a trimmed, non-empty line of text.
func (v *validation) name(path, value string) string {
	return text.Required(&v.Issues, path, text.Line(&v.Issues, path, value, maxNameChars))
}

// newUser validates an account to create.
func (v *validation) newUser(n NewUser) NewUser {
	n.Email, n.Name = v.email(n.Email), v.name("name", n.Name)
	if n.Password != "" {
		v.password("password", n.Password, n.Email, n.Name)
	}
	return n
}

// userChange validates a change of an account with this address and name.
func (v *validation) userChange(c UserChange, email, name string) UserChange {
	if c.Email != nil {
		c.Email = new(v.email(*c.Email))
	}
	if c.Name != nil {
		c.Name = new(v.name("name", *c.Name))
	}
	if c.Password != nil {
		about := []string{email, name}
		if c.Email != nil {
			about = append(about, *c.Email)
		}
		if c.Name != nil {
			about = append(about, *c.Name)
		}
		v.password("password", *c.Password, about...)
	}
	return c
}

// text may be empty and have several lines.
func (v *validation) text(path, value string) string {
	return text.Lines(&v.Issues, path, value, maxDescriptionChars)
}

func (v *validation) email(value string) string {
	value = strings.TrimSpace(value)
	address, err := mail.ParseAddress(value)
	if err != nil || address.Address != value || len(value) > maxEmailBytes || !printableASCII(value) {
		v.Report("email", "must be an e-mail address, such as ada@example.org")
	}
	return value
}

// printableASCII restricts e-mail addresses. Beyond ASCII, Go and the database fold case differently, and several
// spellings of one address would be throttled separately.
func printableASCII(s string) bool {
	return !strings.ContainsFunc(s, func(r rune) bool { return r <= ' ' || r > '~' })
}

// password validates the password of an account with these known texts.
func (v *validation) password(path, value string, about ...string) {
	if issue := checkPassword(value, about...); issue != nil {
		v.Report(path, "%s", issue.Message)
	}
}

// checkPassword bounds the length and refuses commonly guessed passwords; composition rules would make passwords worse.
func checkPassword(value string, about ...string) *problem.Issue {
	switch {
	case utf8.RuneCountInString(value) < minPasswordChars:
		return &problem.Issue{Path: "password", Message: "must have at least 8 characters"}
	case len(value) > maxPasswordBytes:
		return &problem.Issue{Path: "password", Message: "must have at most 256 bytes"}
	case password.Guessable(value, about...):
		return &problem.Issue{Path: "password", Message: "is too easy to guess: choose several unrelated words, " +
			"without the name or address of the account"}
	}
	return nil
}

// clip bounds a text from outside and makes it fit for the database.
func clip(s string, most int) string {
	s = strings.ToValidUTF8(strings.ReplaceAll(s, "\x00", ""), "")
	if len(s) <= most {
		return s
	}
	return strings.ToValidUTF8(s[:most], "")
}
