package mask

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
)

// tokens masks a JSON document token by token and reports false when it is not one document. Order and repeated names
// stay as they are.
func (m *Masker) tokens(document []byte) (json.RawMessage, bool) {
	w := &writer{masker: m}
	decoder := json.NewDecoder(bytes.NewReader(document))
	decoder.UseNumber()
	for {
		token, err := decoder.Token()
		if errors.Is(err, io.EOF) {
			return w.out.Bytes(), w.documents == 1 && len(w.open) == 0
		}
		if err != nil {
			return nil, false
		}
		w.write(token)
	}
}

// writer joins tokens to a document again.
type writer struct {
	masker *Masker
	out    bytes.Buffer
	// open are the arrays and objects around the next token.
	open      []frame
	documents int
}

type frame struct {
	object bool
	// count counts the values, and in an object the names too.
	count int
}

func (w *writer) write(token json.Token) {
	if end, ok := token.(json.Delim); ok && (end == ']' || end == '}') {
		w.open = w.open[:len(w.open)-1]
		w.out.WriteByte(byte(end))
		w.ended()
		return
	}
	w.separate()
	switch t := token.(type) {
	case json.Delim:
		w.out.WriteByte(byte(t))
		w.open = append(w.open, frame{object: t == '{'})
		return
	case string:
		w.text(w.masker.Text(t))
	case json.Number:
		if masked := w.masker.Text(t.String()); masked != t.String() {
			w.text(Stars)
		} else {
			w.out.WriteString(t.String())
		}
	case bool:
		if t {
			w.out.WriteString("true")
		} else {
			w.out.WriteString("false")
		}
	case nil:
		w.out.WriteString("null")
	}
	w.ended()
}

// separate writes the separator before a value.
func (w *writer) separate() {
	if len(w.open) == 0 {
		return
	}
	in := w.open[len(w.open)-1]
	switch {
	case in.object && in.count%2 == 1:
		w.out.WriteByte(':')
	case in.count > 0:
		w.out.WriteByte(',')
	}
}

func (w *writer) ended() {
	if len(w.open) == 0 {
		w.documents++
		return
	}
	w.open[len(w.open)-1].count++
}

func (w *writer) text(text string) {
	encoder := json.NewEncoder(&w.out)
	encoder.SetEscapeHTML(false)
	_ = encoder.Encode(text)
	w.out.Truncate(w.out.Len() - 1) // the line break
}
