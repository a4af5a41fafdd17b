// Package note keeps what people write under a record such as an incident: updates, each with a visibility, a status
// that it sets and a history of edits, and links. The module of the record decides who may write, and locks the record
// before it writes; every read filters by the reader's audience in its query.
//
// Authors are kept by id alone, so that a name is erased with its account.
package note

import (
	"context"
	"strings"
	"time"

	"github.com/google/uuid"

	"countersign/internal/principal"
	"countersign/internal/problem"
	"countersign/internal/secret/scrub"
	"countersign/internal/text"
)

// Limits of what stands under one record. Lengths are in characters.
const (
	MaxMessage = 10_000
	MaxNotes   = 1000
	MaxEdits   = 50
	MaxLinks   = 50
	MaxLabel   = 120
	MaxURL     = 2000
)

// Visibility is who may see a note or a link.
type Visibility string

// Public is for everybody, LoggedIn for all who are signed in, Internal for those who manage the record.
const (
	Public   Visibility = "public"
	LoggedIn Visibility = "logged_in"
	Internal Visibility = "internal"
)

// Audience returns the visibilities that the principal of ctx may see; manage is the access rule to change the record.
func Audience(ctx context.Context, manage string) []Visibility {
	p := principal.FromContext(ctx)
	switch {
	case p.IsZero():
		return []Visibility{Public}
	case p.Has(manage):
		return []Visibility{Public, LoggedIn, Internal}
	default:
		return []Visibility{Public, LoggedIn}
	}
}

// Note is an update as one reader sees it.
type Note struct {
	ID           uuid.UUID  `json:"id"`
	Message      string     `json:"message"`
	StatusChange string     `json:"statusChange,omitempty" doc:"The status that it set."`
	Visibility   Visibility `json:"visibility" enum:"public,logged_in,internal"`
	AuthorID     uuid.UUID  `json:"authorId"`
	AuthorName   string     `json:"authorName,omitempty" doc:"Absent when the account is gone."`
	CreatedAt    time.Time  `json:"createdAt"`
	EditedAt     *time.Time `json:"editedAt,omitempty"`
	// Edits are shown to those who manage the record.
	Edits []Edit `json:"edits,omitempty" doc:"What it was before each edit, oldest first; for those who may change it."`
}

// Edit is what a note was before an edit.
type Edit struct {
	Message    string     `json:"message"`
	Visibility Visibility `json:"visibility" enum:"public,logged_in,internal"`
	EditorID   uuid.UUID  `json:"editorId" doc:"Who replaced it."`
	EditorName string     `json:"editorName,omitempty"`
	EditedAt   time.Time  `json:"editedAt" doc:"When it was replaced."`
}

// Link is a link as one reader sees it.
type Link struct {
	ID         uuid.UUID  `json:"id"`
	Label      string     `json:"label"`
	URL        string     `json:"url"`
	Visibility Visibility `json:"visibility" enum:"public,logged_in,internal"`
	CreatedAt  time.Time  `json:"createdAt"`
}

// New is a note to write.
type New struct {
	Message      string
	StatusChange string
	Visibility   Visibility
	// At is when it was written; nil means now.
	At *time.Time
}

// NewLink is a link to add.
type NewLink struct {
	Label      string     `json:"label,omitempty" jsonschema:"maxLength=120,description=What the page is; such as dashboard." doc:"What the page is, such as dashboard."`
	URL        string     `json:"url" jsonschema:"minLength=8,maxLength=2000,description=http or https; no credentials." doc:"http or https, without credentials."`
	Visibility Visibility `json:"visibility,omitempty" enum:"public,logged_in,internal" jsonschema:"enum=public,enum=logged_in,enum=internal,description=public when left out." doc:"Who sees it; public when absent."`
}

// Message is the stored form of the text of a note, without credentials.
func Message(issues *problem.Issues, path, message string) string {
	message = scrub.Text(strings.ReplaceAll(message, "\r\n", "\n"))
	return text.Required(issues, path, text.Lines(issues, path, message, MaxMessage))
}

// Seen is the stored form of a visibility; public when it is absent.
func Seen(issues *problem.Issues, path string, v Visibility) Visibility {
	switch v {
	case "":
		return Public
	case Public, LoggedIn, Internal:
	default:
		issues.Report(path, "must be public, logged_in or internal")
	}
	return v
}

// Linked is the stored form of a link.
func Linked(issues *problem.Issues, l NewLink) NewLink {
	l.Label = text.Line(issues, "label", l.Label, MaxLabel)
	l.URL = text.WebAddress(issues, "url", l.URL, MaxURL)
	l.Visibility = Seen(issues, "visibility", l.Visibility)
	return l
}
