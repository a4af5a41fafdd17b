package connection

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"time"

	"countersign/chat/assistant"
	"countersign/internal/rest"
	"countersign/model"
	"countersign/modules/connection/connectiondb"
)

// ExtraHeader is a header of every request to the provider.
type ExtraHeader struct {
	Name  string  `json:"name" minLength:"1" maxLength:"100" doc:"Authorization, Host, Content- headers and those of the transport cannot be set"`
	Value *string `json:"value,omitempty" maxLength:"4096" writeOnly:"true" doc:"Stored encrypted and never shown; a change that leaves it out keeps the stored value"`
}

const (
	maxHeaders     = 20
	maxHeaderValue = 4096
	maxBodyBytes   = 8 << 10
	maxFirstToken  = int(assistant.MaxFirstToken / time.Second)
	leastTools     = model.LeastTools
	maxTools       = 1000
	automatic      = "auto"
)

var headerName = regexp.MustCompile("^[A-Za-z0-9!#$%&'*+.^_`|~-]{1,100}$")

// headers validates extra headers and fills in the stored values of those without one. Names are stored as HTTP writes
// them.
func (v *validation) headers(path string, given []ExtraHeader, stored map[string]string) map[string]string {
	values := map[string]string{}
	if len(given) > maxHeaders {
		v.Report(path, "must have at most %d entries", maxHeaders)
		return values
	}
	for i, h := range given {
		at := fmt.Sprintf("%s[%d]", path, i)
		name := http.CanonicalHeaderKey(strings.TrimSpace(h.Name))
		value, known := stored[name]
		if h.Value != nil {
			value, known = strings.TrimSpace(*h.Value), true
		}
		switch _, twice := values[name]; {
		case !headerName.MatchString(name):
			v.Report(at+".name", "must be the name of a header, of letters, digits and hyphens")
		case model.OwnsHeader(name):
			v.Report(at+".name", "must not be %s, which the product or HTTP itself sets", name)
		case twice:
			v.Report(at+".name", "is there twice")
		case !known || value == "":
			v.Report(at+".value", "must be given")
		case len(value) > maxHeaderValue || strings.ContainsFunc(value, func(r rune) bool { return r < ' ' || r > '~' }):
			v.Report(at+".value", "must be printable ASCII of at most %d characters", maxHeaderValue)
		}
		values[name] = value
	}
	return values
}

// body validates the extra members of requests; nil for none.
func (v *validation) body(path string, members rest.Object) json.RawMessage {
	if len(members) == 0 {
		return nil
	}
	for _, name := range slices.Sorted(maps.Keys(members)) {
		if model.OwnsMember(name) {
			v.Report(path, "must not have the member %s, which the product sets itself", name)
		}
	}
	encoded, err := json.Marshal(members)
	if err != nil || len(encoded) > maxBodyBytes {
		v.Report(path, "must be a JSON object of at most %d bytes", maxBodyBytes)
	}
	if strings.Contains(string(encoded), `\u0000`) {
		v.Report(path, "must not hold a NUL character")
	}
	return encoded
}

// efforts are the values of reasoning_effort that providers know.
var efforts = []string{"none", "minimal", "low", "medium", "high", "xhigh"}

func (v *validation) effort(path, value string) *string {
	if value == "" {
		return nil
	}
	if !slices.Contains(efforts, value) {
		v.Report(path, "must be one of %s", strings.Join(efforts, ", "))
	}
	return &value
}

// automatic validates a setting that is on, off, or up to what is learned.
func (v *validation) automatic(path, value string) string {
	if value == "" {
		return automatic
	}
	if !slices.Contains([]string{automatic, "on", "off"}, value) {
		v.Report(path, "must be auto, on or off")
	}
	return value
}

// within validates an optional number; nil when unset or cleared with zero.
func (v *validation) within(path string, value *int, least, most int) *int32 {
	if value == nil || *value == 0 {
		return nil
	}
	if *value < least || *value > most {
		v.Report(path, "must be from %d to %d", least, most)
		return nil
	}
	return new(int32(*value))
}

// sealHeaders encrypts headers into a row.
func (m *Module) sealHeaders(row *connectiondb.AiConnection, values map[string]string) error {
	row.HeaderNames, row.HeadersSealed = slices.Sorted(maps.Keys(values)), nil
	if len(values) == 0 {
		row.HeaderNames = []string{}
		return nil
	}
	encoded, err := json.Marshal(values)
	if err != nil {
		return fmt.Errorf("encode headers: %w", err)
	}
	if row.HeadersSealed, err = m.sealer.Seal(encoded, headersAssociated(row.ID)); err != nil {
		return fmt.Errorf("seal headers: %w", err)
	}
	return nil
}

// openHeaders decrypts the headers of a row.
func (m *Module) openHeaders(row connectiondb.AiConnection) (map[string]string, error) {
	values := map[string]string{}
	if len(row.HeadersSealed) == 0 {
		return values, nil
	}
	opened, err := m.sealer.Open(row.HeadersSealed, headersAssociated(row.ID))
	if err == nil {
		err = json.Unmarshal(opened, &values)
	}
	if err != nil {
		return nil, fmt.Errorf("open headers of connection %s: %w", row.ID, err)
	}
	return values, nil
}

// OpenHeaders decrypts the extra headers of a connection. They must stay on the server.
func (m *Module) OpenHeaders(c Connection) (http.Header, error) {
	values, err := m.openHeaders(connectiondb.AiConnection{ID: c.ID, HeadersSealed: c.sealedHeaders})
	if err != nil {
		return nil, err
	}
	headers := http.Header{}
	for name, value := range values {
		headers.Set(name, value)
	}
	return headers, nil
}

// Requests returns the options of a model client that the connection sets for requests, with its key and headers
// decrypted.
func (m *Module) Requests(c Connection) (model.Options, error) {
	o := model.Options{BaseURL: c.BaseURL, ReasoningEffort: c.ReasoningEffort}
	if c.Streaming != automatic {
		o.Streaming = c.Streaming
	}
	if c.TextCalls != automatic {
		o.TextCalls = c.TextCalls
	}
	var err error
	if o.APIKey, err = m.OpenKey(c); err != nil {
		return o, err
	}
	if o.Headers, err = m.OpenHeaders(c); err != nil {
		return o, err
	}
	if c.ExtraBody != nil {
		if o.ExtraBody, err = json.Marshal(c.ExtraBody); err != nil {
			return o, fmt.Errorf("encode extra members: %w", err)
		}
	}
	return o, nil
}

// applyRequest applies the part of a change that concerns requests. Values of headers are for the server that they were
// given for.
func (m *Module) applyRequest(v *validation, row *connectiondb.AiConnection, before connectiondb.AiConnection, c Change) error {
	moved := !sameServer(before.BaseUrl, row.BaseUrl)
	switch {
	case c.ExtraHeaders != nil:
		if err := m.replaceHeaders(v, row, *c.ExtraHeaders, moved); err != nil {
			return err
		}
	case moved && len(before.HeadersSealed) > 0:
		v.Report("extraHeaders", "must be given again, as the address is on another server")
	}
	if c.ExtraBody != nil {
		row.ExtraBody = v.body("extraBody", *c.ExtraBody)
	}
	if c.ReasoningEffort != nil {
		row.ReasoningEffort = v.effort("reasoningEffort", *c.ReasoningEffort)
	}
	if c.Streaming != nil {
		row.Streaming = v.automatic("streaming", *c.Streaming)
	}
	if c.TextCalls != nil {
		row.TextCalls = v.automatic("textCalls", *c.TextCalls)
	}
	if c.FirstTokenSeconds != nil {
		row.FirstTokenSeconds = v.within("firstTokenSeconds", c.FirstTokenSeconds, 1, maxFirstToken)
	}
	if c.MaxTools != nil {
		row.MaxTools = v.within("maxTools", c.MaxTools, leastTools, maxTools)
	}
	if !same(before.MaxTools, row.MaxTools) {
		row.Figures = forgetFigures(row.Figures, func(f *model.Figures) { f.MaxTools = 0 })
	}
	return nil
}

// replaceHeaders seals other headers into a row; the same ones stay as they are sealed.
func (m *Module) replaceHeaders(v *validation, row *connectiondb.AiConnection, given []ExtraHeader, moved bool) error {
	stored := map[string]string{}
	if !moved {
		// Headers that the keyset of this installation did not seal are repaired by giving them again.
		if opened, err := m.openHeaders(*row); err == nil {
			stored = opened
		}
	}
	values := v.headers("extraHeaders", given, stored)
	if maps.Equal(values, stored) && len(values) > 0 {
		return nil
	}
	return m.sealHeaders(row, values)
}

// sendsOtherwise reports whether requests differ, so that what earlier ones have taught need not hold.
func sendsOtherwise(a, b connectiondb.AiConnection) bool {
	return a.Streaming != b.Streaming || !same(a.ReasoningEffort, b.ReasoningEffort) || !bytes.Equal(a.HeadersSealed, b.HeadersSealed) ||
		!reflect.DeepEqual(fromRow(a).ExtraBody, fromRow(b).ExtraBody)
}
