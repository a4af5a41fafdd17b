package rest

import (
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/google/uuid"

	"countersign/internal/problem"
)

// Moment is the cursor of a list by time: the time and id of a page's last row.
type Moment struct {
	At time.Time
	ID uuid.UUID
}

// Latest is after every row of such a list.
func Latest() Moment { return Moment{At: time.Date(9999, time.January, 1, 0, 0, 0, 0, time.UTC)} }

// String encodes the cursor for Cut, in microseconds like the database.
func (m Moment) String() string { return fmt.Sprintf("%d %s", m.At.UnixMicro(), m.ID) }

// AfterMoment returns the last row of the page before, nil for the first page.
func (p Page) AfterMoment() (*Moment, error) {
	key, err := p.After()
	if err != nil || key == "" {
		return nil, err
	}
	at, id, _ := strings.Cut(key, " ")
	micro, atErr := strconv.ParseInt(at, 10, 64)
	after, idErr := uuid.Parse(id)
	if atErr != nil || idErr != nil || micro < 0 || micro > Latest().At.UnixMicro() {
		return nil, problem.UnknownCursor()
	}
	return &Moment{time.UnixMicro(micro).UTC(), after}, nil
}
