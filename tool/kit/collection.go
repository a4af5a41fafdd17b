package kit

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"github.com/google/uuid"

	"countersign/internal/access"
	"countersign/internal/problem"
	"countersign/tool"
)

// Collection locates the records of a kind in the REST API. Each record is a T at Path/{id}; a list page has them under
// Kind.Plural.
type Collection[T any] struct {
	Kind access.Kind
	Path string
}

// Live is the current state of a record as the caller reads it, with its ETag.
type Live[T any] struct {
	ID       uuid.UUID
	Record   T
	Kind     access.Kind
	Name     string
	Revision string
}

// At returns the path of a record or of its parts: At(id, "links").
func (c Collection[T]) At(id uuid.UUID, parts ...string) string {
	return strings.Join(append([]string{c.Path, id.String()}, parts...), "/")
}

// Load reads a record that an input names in field. A missing record is an issue of that input.
func (c Collection[T]) Load(ctx context.Context, caller tool.Caller, id uuid.UUID, field string) (Live[T], error) {
	answer, err := c.load(ctx, caller, id, field)
	return answer.live, err
}

// LoadForChange is Load for a record that the caller wants to change. It also refuses where applying would lack access.
func (c Collection[T]) LoadForChange(
	ctx context.Context,
	caller tool.Caller,
	id uuid.UUID,
	field string,
	want access.Level,
) (Live[T], error) {
	answer, err := c.load(ctx, caller, id, field)
	if err != nil {
		return Live[T]{}, err
	}
	return answer.live, c.Kind.Permit(answer.live.Name, answer.access, want)
}

// Names reads the names of records that an input lists in field, by id and in their order; each that the caller does not see is
// an issue of the input.
func (c Collection[T]) Names(
	ctx context.Context,
	caller tool.Caller,
	issues *problem.Issues,
	ids []uuid.UUID,
	field string,
) (byID map[string]string, names []string, err error) {
	byID = map[string]string{}
	for _, id := range ids {
		live, err := c.Load(ctx, caller, id, field)
		if err := issues.Absorb(err); err != nil {
			return nil, nil, err
		}
		if live.Name != "" {
			byID[id.String()], names = live.Name, append(names, live.Name)
		}
	}
	return byID, names, nil
}

// Remaining unwraps the result of Load and LoadForChange; not ok where the record is gone, or not the caller's to use.
func Remaining[T any](live Live[T], err error) (remaining Live[T], ok bool, failed error) {
	if problem.Is(err, problem.Invalid) || problem.Is(err, problem.Forbidden) {
		return live, false, nil
	}
	return live, err == nil, err
}

// CheckNameIsFree refuses a name that another record has; except is the record that may have it.
func (c Collection[T]) CheckNameIsFree(
	ctx context.Context,
	caller tool.Caller,
	issues *problem.Issues,
	name string,
	except uuid.UUID,
) error {
	type reference struct {
		ID   uuid.UUID `json:"id"`
		Name string    `json:"name"`
	}
	others, _, err := Page[reference](ctx, caller, c.Path, c.Kind.Plural, url.Values{"limit": {"1"}, "name": {name}})
	for _, other := range others {
		if other.ID != except {
			issues.Report("name", "is taken: a %s named %s exists already (id %s)", c.Kind.Noun, other.Name, other.ID)
		}
	}
	return err
}

// Page reads a page of a list, whose records are under member. more reports further pages.
func Page[T any](ctx context.Context, c tool.Caller, path, member string, query url.Values) (records []T, more bool, err error) {
	records, cursor, err := page[T](ctx, c, path, member, query)
	return records, cursor != "", err
}

// pagesLookedThrough bounds the pages of pageSize records that Find reads.
const (
	pagesLookedThrough = 10
	pageSize           = 100
)

// Find returns the first wanted record of a list, nil where none of the first thousand is.
func Find[T any](ctx context.Context, c tool.Caller, path, member string, wanted func(T) bool) (*T, error) {
	query := url.Values{"limit": {strconv.Itoa(pageSize)}}
	for range pagesLookedThrough {
		records, cursor, err := page[T](ctx, c, path, member, query)
		if err != nil {
			return nil, err
		}
		if i := slices.IndexFunc(records, wanted); i >= 0 {
			return &records[i], nil
		}
		if cursor == "" {
			break
		}
		query.Set("cursor", cursor)
	}
	return nil, nil
}

// page is Page with the cursor of the next page, "" for none.
func page[T any](ctx context.Context, c tool.Caller, path, member string, query url.Values) (records []T, cursor string, err error) {
	if len(query) > 0 {
		path += "?" + query.Encode()
	}
	var answered map[string]json.RawMessage
	if _, err := c.Client.Get(ctx, path, &answered); err != nil {
		return nil, "", err
	}
	if next, ok := answered["nextCursor"]; ok {
		err = json.Unmarshal(next, &cursor)
	}
	return records, cursor, errors.Join(err, json.Unmarshal(answered[member], &records))
}

func (c Collection[T]) load(ctx context.Context, caller tool.Caller, id uuid.UUID, field string) (answer[T], error) {
	var a answer[T]
	etag, err := caller.Client.Get(ctx, c.At(id), &a)
	if problem.Is(err, problem.NotFound) {
		e := problem.As(err)
		return a, problem.InvalidInput(e.Detail, problem.Issue{Path: field, Message: e.Detail})
	}
	a.live.ID, a.live.Kind, a.live.Revision = id, c.Kind, etag
	return a, err
}

// answer is a record with the members that all kinds of records share.
type answer[T any] struct {
	live   Live[T]
	access access.Level
}

func (a *answer[T]) UnmarshalJSON(data []byte) error {
	var common struct {
		Name   string       `json:"name"`
		Title  string       `json:"title"`
		Access access.Level `json:"access"`
	}
	err := errors.Join(json.Unmarshal(data, &a.live.Record), json.Unmarshal(data, &common))
	a.live.Name, a.access = cmp.Or(common.Name, common.Title), common.Access
	return err
}
