package expression

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"

	"cel.dev/cel-go/common/types"
	"cel.dev/cel-go/common/types/ref"
	"cel.dev/cel-go/common/types/traits"

	"countersign/internal/text/strictjson"
)

// maxValue bounds a value that an expression gives, as JSON, and maxDepth its nesting.
const (
	maxValue = MaxText
	maxDepth = 64
)

var errTooLarge = fmt.Errorf("it gives more than %d bytes", maxValue)

// decode reads JSON into Go values that CEL takes. Whole numbers become int64, so that they stay exact.
func decode(raw json.RawMessage) (any, error) {
	if len(raw) == 0 {
		return nil, nil
	}
	var value any
	if err := strictjson.DecodeNumbers(raw, &value); err != nil {
		return nil, err
	}
	return native(value), nil
}

func native(value any) any {
	switch v := value.(type) {
	case json.Number:
		if n, err := v.Int64(); err == nil {
			return n
		}
		f, err := v.Float64()
		if err != nil {
			return v.String() // A number beyond float64 is no number to calculate with.
		}
		return f
	case map[string]any:
		for key, member := range v {
			v[key] = native(member)
		}
	case []any:
		for i, element := range v {
			v[i] = native(element)
		}
	}
	return value
}

// encode is the JSON of a value.
func encode(v ref.Val) (json.RawMessage, error) {
	w := writer{}
	if err := w.value(v, 0); err != nil {
		return nil, err
	}
	return w.out, nil
}

type writer struct{ out []byte }

func (w *writer) value(v ref.Val, depth int) error {
	switch {
	case depth > maxDepth:
		return fmt.Errorf("it gives values nested more than %d deep", maxDepth)
	case len(w.out) > maxValue:
		return errTooLarge
	}
	switch v := v.(type) {
	case types.Null:
		w.out = append(w.out, "null"...)
	case types.Bool:
		w.out = strconv.AppendBool(w.out, bool(v))
	case types.Int:
		w.out = strconv.AppendInt(w.out, int64(v), 10)
	case types.Uint:
		w.out = strconv.AppendUint(w.out, uint64(v), 10)
	case types.Double:
		if math.IsNaN(float64(v)) || math.IsInf(float64(v), 0) {
			return errors.New("it gives a number that is out of range")
		}
		raw, err := json.Marshal(float64(v))
		w.out = append(w.out, raw...)
		return err
	case types.String:
		w.text(string(v))
	case types.Timestamp:
		w.text(v.UTC().Format(time.RFC3339Nano))
	case types.Duration:
		w.text(v.String())
	case traits.Lister:
		return w.list(v, depth)
	case traits.Mapper:
		return w.object(v, depth)
	default:
		return errors.New("it gives no value of JSON")
	}
	if len(w.out) > maxValue {
		return errTooLarge
	}
	return nil
}

func (w *writer) text(s string) {
	var out bytes.Buffer
	e := json.NewEncoder(&out)
	e.SetEscapeHTML(false)
	_ = e.Encode(s) // A string has no error.
	w.out = append(w.out, bytes.TrimSuffix(out.Bytes(), []byte("\n"))...)
}

func (w *writer) list(v traits.Lister, depth int) error {
	w.out = append(w.out, '[')
	for i := range count(v) {
		if i > 0 {
			w.out = append(w.out, ',')
		}
		if err := w.value(v.Get(types.Int(i)), depth+1); err != nil {
			return err
		}
	}
	w.out = append(w.out, ']')
	return nil
}

func (w *writer) object(v traits.Mapper, depth int) error {
	var keys []string
	for it := v.Iterator(); it.HasNext() == types.True; {
		key, ok := it.Next().(types.String)
		if !ok {
			return errors.New("it gives an object whose keys are no texts")
		}
		keys = append(keys, string(key))
	}
	slices.Sort(keys)
	w.out = append(w.out, '{')
	for i, key := range keys {
		if i > 0 {
			w.out = append(w.out, ',')
		}
		w.text(key)
		w.out = append(w.out, ':')
		if err := w.value(v.Get(types.String(key)), depth+1); err != nil {
			return err
		}
	}
	w.out = append(w.out, '}')
	return nil
}

// textOf is the text of a value: a text as it is, anything else as JSON.
func textOf(v ref.Val) ref.Val {
	if types.IsUnknownOrError(v) {
		return v
	}
	raw, err := encode(v)
	if err != nil {
		return types.NewErr("%s", strings.TrimPrefix(err.Error(), "it gives "))
	}
	switch v.(type) {
	case types.Timestamp, types.Duration:
		var s string
		_ = json.Unmarshal(raw, &s) // encode wrote a string.
		return types.String(s)
	}
	return types.String(raw)
}
