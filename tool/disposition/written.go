package disposition

import (
	"fmt"
	"strings"
	"time"

	"github.com/google/uuid"
)

// Written is text by a less-privileged user in a record.
type Written struct {
	// Type is that of the record in the audit log, such as catalog.system; Name is the name that the reader has seen.
	Type string
	ID   uuid.UUID
	Name string
	// Author is empty for a deleted account.
	AuthorID uuid.UUID
	Author   string
	// At is the time of their last change.
	At time.Time
}

// namedRecords bounds the records that a source names; the others are counted.
const namedRecords = 3

// Source names records and their one author: "system Payments, system Search and 4 more, written by Eva".
func Source(written []Written) string {
	if len(written) == 0 {
		return ""
	}
	records := make([]string, 0, namedRecords)
	for _, w := range written[:min(len(written), namedRecords)] {
		_, noun, _ := strings.Cut(w.Type, ".")
		records = append(records, strings.TrimSpace(strings.ReplaceAll(noun, "_", " ")+" "+w.Name))
	}
	list := strings.Join(records, ", ")
	if more := len(written) - len(records); more > 0 {
		list = fmt.Sprintf("%s and %d more", list, more)
	}
	author := written[0].Author
	if author == "" {
		author = "a deleted user"
	}
	return list + ", written by " + author
}
