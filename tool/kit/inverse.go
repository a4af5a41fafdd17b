package kit

import (
	"context"
	"encoding/json"
	"slices"
	"strconv"
	"strings"

	"github.com/google/uuid"

	"countersign/internal/secret/scrub"
	"countersign/internal/text"
	"countersign/tool"
)

// Former undoes an update by the same tool with the former values of its fields. The payload must hold the new value of
// each field in the diff.
func Former(name string) tool.Inverse {
	return func(d tool.Done) (string, json.RawMessage, bool) {
		input, ok := Revert(d.Payload, d.Diff)
		return name, input, ok
	}
}

// Remover undoes a creation by a tool whose input is the id of the record: the member of the result, or the result
// itself where member is "".
func Remover(name, member string) tool.Inverse {
	return func(d tool.Done) (string, json.RawMessage, bool) {
		id, ok := madeID(d.Result, member)
		return name, objectOf(map[string]any{"id": id}), ok
	}
}

// PartRemover is Remover for a part of another record: keep is the payload member that names the record, part the input
// member that names the part.
func PartRemover(name, keep, part, member string) tool.Inverse {
	return func(d tool.Done) (string, json.RawMessage, bool) {
		id, made := madeID(d.Result, member)
		var payload map[string]any
		if !made || json.Unmarshal(d.Payload, &payload) != nil || payload[keep] == nil {
			return "", nil, false
		}
		return name, objectOf(map[string]any{keep: payload[keep], part: id}), true
	}
}

// Opposite undoes a change by another tool with the same input.
func Opposite(name string) tool.Inverse {
	return func(d tool.Done) (string, json.RawMessage, bool) { return name, d.Payload, len(d.Payload) > 0 }
}

// Restorer undoes a deletion by a tool whose input is what the deletion kept, see Preview.Before.
func Restorer(name string) tool.Inverse {
	return func(d tool.Done) (string, json.RawMessage, bool) { return name, d.Before, len(d.Before) > 0 }
}

// RebaseOf makes a Rebase from one with a typed input.
func RebaseOf[In any](rebase func(ctx context.Context, c tool.Caller, in In) (In, []string, error)) tool.Rebase {
	return func(ctx context.Context, c tool.Caller, input json.RawMessage) (json.RawMessage, []string, error) {
		in, err := decode[In](input)
		if err != nil {
			return nil, nil, err
		}
		in, dropped, err := rebase(ctx, c, in)
		if err != nil {
			return nil, nil, err
		}
		rebased, err := tool.Canonical(in)
		return rebased, shownEffects(dropped), err
	}
}

// maxEffects bounds the shown effects of a change.
const maxEffects = 20

// shownEffects cleans effects for display.
func shownEffects(effects []string) []string {
	shown := make([]string, 0, len(effects))
	for _, effect := range effects[:min(len(effects), maxEffects)] {
		shown = append(shown, text.Shown(effect, tool.MaxSummary))
	}
	return shown
}

// Keepable reports whether a deleted record can be kept for an undo. A private one cannot: the proposal to create it
// again, and the new record, are visible to all whose roles allow it. Neither can one whose privacy the caller cannot
// see.
func Keepable(ctx context.Context, c tool.Caller, objectType string, id uuid.UUID) bool {
	var live struct {
		Private bool `json:"private"`
	}
	_, err := c.Client.Get(ctx, "/api/grants/"+objectType+"/"+id.String(), &live)
	return err == nil && !live.Private
}

// NotKept explains that a record which is not Keepable cannot be restored.
const NotKept = "No undo can make it again, as that would show it to others."

// MaxBefore bounds what is kept of a deleted record, in bytes.
const MaxBefore = 64 << 10

// notKept explains that a deletion cannot be undone.
const notKept = "It cannot be taken back by an undo: it is too large to be kept for that, or holds what looks like a credential."

// keptRecord encodes what a change deletes; nil where it is empty, too large, or holds a credential.
func keptRecord(before any) (json.RawMessage, error) {
	if before == nil {
		return nil, nil
	}
	raw, err := tool.Canonical(before)
	if err != nil || len(raw) > MaxBefore || tool.RefuseCredentials(tool.Mutate, scrub.Paths(raw), raw) != nil {
		return nil, err
	}
	return raw, nil
}

// madeID reads the id of the created record from a result.
func madeID(result json.RawMessage, member string) (string, bool) {
	var made map[string]json.RawMessage
	if json.Unmarshal(result, &made) != nil {
		return "", false
	}
	if member != "" {
		result = made[member]
		if made = nil; json.Unmarshal(result, &made) != nil {
			return "", false
		}
	}
	var id string
	if json.Unmarshal(made["id"], &id) != nil {
		return "", false
	}
	parsed, err := uuid.Parse(id)
	return id, err == nil && parsed.String() == id
}

// objectOf encodes an object whose members are texts.
func objectOf(members map[string]any) json.RawMessage {
	raw, err := json.Marshal(members)
	if err != nil {
		return nil
	}
	return raw
}

// Revert applies a diff backwards to a JSON object that holds the new value of every changed field. ok is false where
// it does not, or where the former value is unknown.
func Revert(after json.RawMessage, diff []tool.Change) (before json.RawMessage, ok bool) {
	tree, err := tool.Tree(after)
	if err != nil || len(diff) == 0 {
		return nil, false
	}
	// Lists are compared by index: additions at the end are removed from last to first, and removals are restored from
	// first to last.
	var gone []tool.Change
	for _, change := range slices.Backward(diff) {
		if change.After == nil {
			gone = append(gone, change)
		} else if tree, ok = takeBack(tree, change); !ok {
			return nil, false
		}
	}
	for _, change := range slices.Backward(gone) {
		if tree, ok = takeBack(tree, change); !ok {
			return nil, false
		}
	}
	before, err = tool.Canonical(tree)
	return before, err == nil
}

func takeBack(tree any, change tool.Change) (any, bool) {
	steps, ok := stepsOf(change.Path)
	if !ok {
		return nil, false
	}
	return revert(tree, steps, change, len(steps) > 1)
}

// revert restores one value. within marks a value inside of a field, where a former null is removed.
func revert(tree any, steps []any, change tool.Change, within bool) (any, bool) {
	if len(steps) == 0 {
		return former(tree, change, within)
	}
	switch step := steps[0].(type) {
	case string:
		object, ok := tree.(map[string]any)
		if !ok {
			return nil, false
		}
		value, there := object[step]
		if !there && !within {
			return nil, false
		}
		value, ok = revert(value, steps[1:], change, within)
		if !ok {
			return nil, false
		}
		if value == nil {
			delete(object, step)
		} else {
			object[step] = value
		}
		return object, true
	case int:
		list, ok := tree.([]any)
		if !ok || step > len(list) {
			return nil, false
		}
		var value any
		if step < len(list) {
			value = list[step]
		}
		value, ok = revert(value, steps[1:], change, within)
		switch {
		case !ok:
			return nil, false
		case value == nil:
			return list[:step], step == len(list)-1
		case step == len(list):
			return append(list, value), true
		}
		list[step] = value
		return list, true
	}
	return nil, false
}

// former returns the value before a change, if the value is the one after it. A former null at the top becomes empty,
// because inputs read null as "leave unchanged".
func former(value any, change tool.Change, within bool) (any, bool) {
	after, err := tool.Tree(change.After)
	if err != nil || !sameJSON(value, after) {
		return nil, false
	}
	before, err := tool.Tree(change.Before)
	if err != nil {
		return nil, false
	}
	if before != nil || within {
		return before, true
	}
	switch after.(type) {
	case string:
		return "", true
	case []any:
		return []any{}, true
	case map[string]any:
		return map[string]any{}, true
	}
	return nil, false
}

func sameJSON(a, b any) bool {
	left, err := tool.Canonical(a)
	if err != nil {
		return false
	}
	right, err := tool.Canonical(b)
	return err == nil && string(left) == string(right)
}

// stepsOf parses the path of a Change: strings for members, numbers for list indexes.
func stepsOf(path string) (steps []any, ok bool) {
	for rest := path; rest != ""; {
		switch {
		case strings.HasPrefix(rest, `["`):
			decoder := json.NewDecoder(strings.NewReader(rest[1:]))
			var key string
			if decoder.Decode(&key) != nil {
				return nil, false
			}
			steps, rest = append(steps, key), rest[1+decoder.InputOffset():]
			if rest, ok = strings.CutPrefix(rest, "]"); !ok {
				return nil, false
			}
		case strings.HasPrefix(rest, "["):
			number, after, closed := strings.Cut(rest[1:], "]")
			at, err := strconv.Atoi(number)
			if err != nil || !closed || at < 0 {
				return nil, false
			}
			steps, rest = append(steps, at), after
		default:
			rest = strings.TrimPrefix(rest, ".")
			end := strings.IndexAny(rest, ".[")
			if end < 0 {
				end = len(rest)
			}
			if end == 0 || !plainKey.MatchString(rest[:end]) {
				return nil, false
			}
			steps, rest = append(steps, rest[:end]), rest[end:]
		}
	}
	if len(steps) == 0 {
		return nil, false
	}
	_, named := steps[0].(string)
	return steps, named
}
