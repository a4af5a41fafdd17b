package apitest

import (
	"encoding/json"
	"net/http"
	"slices"
	"strings"
	"unicode"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"countersign/internal/problem"
	"countersign/internal/rest"
	"countersign/internal/text"
	"countersign/tool"
)

// minTextWords is the minimum length of a tool's description, which tells a model when to use the tool and what it
// does.
const minTextWords = 31

// effects maps the verbs of tool names to effects. Other verbs may have any effect.
func effects() map[string]tool.Effect {
	return map[string]tool.Effect{
		"list":   tool.Read,
		"get":    tool.Read,
		"search": tool.Read,
		"create": tool.Mutate,
		"update": tool.Mutate,
		"set":    tool.Mutate,
		"add":    tool.Mutate,
		"save":   tool.Mutate,
		"delete": tool.Destructive,
		"remove": tool.Destructive,
	}
}

func (e *examination) texts() {
	if _, err := tool.NewRegistry(e.tools...); err != nil {
		e.report(Texts, "%v", err)
	}
	known := map[string]bool{}
	modules := map[string]bool{}
	for _, t := range e.tools {
		module, _, _ := strings.Cut(t.Name, ".")
		known[t.WireName()], modules[module] = true, true
	}
	seen := map[string]string{}
	for _, t := range e.tools {
		if n := len(strings.Fields(t.Description)); n < minTextWords {
			e.report(Texts, "the text of %s has %d words: it must tell when to use the tool and what it does", t.Name, n)
		}
		if t.Description != strings.TrimSpace(t.Description) || strings.ContainsFunc(t.Description, disguised) {
			e.report(Texts, "the text of %s has space around it or characters that nobody sees", t.Name)
		}
		if other := seen[t.Description]; other != "" {
			e.report(Texts, "%s has the text of %s", t.Name, other)
		}
		seen[t.Description] = t.Name
		for word := range strings.FieldsFuncSeq(t.Description, func(r rune) bool { return !unicode.IsLetter(r) && r != '_' }) {
			module, verb, isName := strings.Cut(word, "_")
			if isName && verb != "" && modules[module] && !known[word] {
				e.report(Texts, "the text of %s names %s, which does not exist", t.Name, word)
			}
		}
		_, name, _ := strings.Cut(t.Name, ".")
		verb := strings.FieldsFunc(name, unicode.IsUpper)
		if want, ok := effects()[first(verb)]; ok && want != t.Effect {
			e.report(Texts, "%s is called %s and has the effect %s", t.Name, verb[0], t.Effect)
		}
		if t.Effect == tool.Destructive && !strings.Contains(t.Description, " person always decides") {
			e.report(Texts, "the text of %s does not say that a person always decides", t.Name)
		}
	}
}

func first(words []string) string {
	if len(words) == 0 {
		return ""
	}
	return words[0]
}

func disguised(r rune) bool {
	return text.Disguises(r) || unicode.IsControl(r) && r != '\n' && r != '\t'
}

// node is a part of a JSON schema.
type node struct {
	Type                 any             `json:"type"`
	Format               string          `json:"format"`
	Enum                 []any           `json:"enum"`
	Properties           map[string]node `json:"properties"`
	AdditionalProperties json.RawMessage `json:"additionalProperties"`
	Items                *node           `json:"items"`
}

// UnmarshalJSON also accepts the schema true, which any value fits.
func (n *node) UnmarshalJSON(data []byte) error {
	type object node
	if string(data) == "true" {
		return nil
	}
	return json.Unmarshal(data, (*object)(n))
}

func (e *examination) schema(s tool.Schema) node {
	var n node
	require.NoError(e, json.Unmarshal(s.JSON(), &n))
	return n
}

func (e *examination) closed() {
	for _, t := range e.tools {
		e.closedBelow(t.Name+" input", e.schema(t.Input))
		e.closedBelow(t.Name+" output", e.schema(t.Output))
	}
}

// closedBelow requires that every object with named members refuses unknown ones. Free records have no named members.
func (e *examination) closedBelow(where string, n node) {
	if n.Properties != nil && string(n.AdditionalProperties) != "false" {
		e.report(Closed, "%s takes members that it does not name", where)
	}
	for name, member := range n.Properties {
		e.closedBelow(where+"."+name, member)
	}
	if n.Items != nil {
		e.closedBelow(where+"[]", *n.Items)
	}
}

func (e *examination) rules() {
	needed := map[string]bool{}
	check := func(what string, rules []string) {
		for _, rule := range rules {
			needed[rule] = true
			if _, ok := e.declared[rule]; !ok && !slices.Contains(e.Foreign, rule) {
				e.report(Ruled, "%s needs the rule %s, which nobody declares", what, rule)
			}
		}
	}
	for _, t := range e.tools {
		check(t.Name, t.Rules)
	}
	for _, op := range e.own {
		check(op.OperationID, rest.RulesOf(op.Operation))
		if op.Summary == "" {
			e.report(Ruled, "%s has no summary", op.OperationID)
		}
	}
	for id, rule := range e.declared {
		if parts := len(strings.Split(id, ".")); parts < 2 || parts > 4 {
			e.report(Ruled, "the rule %s must look like module.verb, module.resource.verb or module.resource.part.verb", id)
		}
		if len(strings.Fields(rule.Description)) < 3 {
			e.report(Ruled, "the rule %s does not say what its holder may do", id)
		}
		if _, wider := e.Widening[id]; !needed[id] && !wider {
			e.report(Ruled, "the rule %s opens nothing", id)
		}
	}
}

// requests are the non-read requests of a caller.
type requests struct {
	// writes change data; asks go to operations that store nothing, such as a probe.
	writes, asks []string
}

// watched is a caller that records its requests.
func (e *examination) watched(as string) (tool.Caller, *requests) {
	m := &requests{}
	router := &tool.Router{}
	router.Bind(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch line := r.Method + " " + r.URL.Path; {
		case r.Method == http.MethodGet || r.Method == http.MethodHead:
		case e.asksOnly(r):
			m.asks = append(m.asks, line)
		default:
			m.writes = append(m.writes, line)
		}
		e.Server.api.ServeHTTP(w, r)
	}))
	return tool.Caller{Principal: e.Server.Principal(as), Client: &tool.Client{Router: router, Credential: as}}, m
}

// asksOnly reports whether a POST goes to an operation that stores nothing, such as a probe.
func (e *examination) asksOnly(r *http.Request) bool {
	return slices.ContainsFunc(e.own, func(op operation) bool {
		return op.Method == r.Method && rest.IsSelfIdempotent(op.Operation) && fits(op.Path, r.URL.Path)
	})
}

// fits reports whether a path matches a template.
func fits(template, path string) bool {
	parts, values := strings.Split(template, "/"), strings.Split(path, "/")
	if len(parts) != len(values) {
		return false
	}
	for i, part := range parts {
		if part != values[i] && !strings.HasPrefix(part, "{") {
			return false
		}
	}
	return true
}

// reads requires that reading tools write nothing: no write through the client, no changed row.
func (e *examination) reads() {
	for _, op := range e.own {
		// A public operation may keep count of its callers, and that of a job may be its heartbeat.
		if op.Method != http.MethodGet || slices.Contains(e.Public, op.OperationID) {
			continue
		}
		path := op.Path
		for _, r := range e.Records {
			if strings.HasPrefix(path, r.at()) {
				key, _ := e.make(r)
				path = fill(path, key)
			}
		}
		before := e.rows()
		e.Server.Do(e, "root", op.Method, fill(path, uuid.NewString()), nil)
		e.unchanged(before, op.OperationID)
	}
	for _, t := range e.tools {
		if t.Effect != tool.Read {
			continue
		}
		c, sent := e.watched("root")
		c.Client.Disclosed = &tool.DisclosedRecords{}
		in := e.input(t, "")
		known := e.markers()
		before := e.rows()
		output, err := t.Run(e.Context(), c, raw(e, in))
		if err != nil {
			e.report(Pure, "the example of %s fails: %v", t.Name, err)
		}
		e.unchanged(before, t.Name)
		e.traced(t, known, string(raw(e, output)), c.Client.Disclosed)
		if len(sent.writes) > 0 {
			e.report(Pure, "%s only reads and makes the request %s", t.Name, sent.writes[0])
		}
		e.toolTexts(t, in)
	}
}

// markers creates a record of each kind and returns, by its key, the texts that no other record contains.
func (e *examination) markers() map[string][]string {
	found := map[string][]string{}
	for _, r := range e.Records {
		key, _ := e.make(r)
		other := r.New(e.made + 1)
		for member, value := range r.New(e.made) {
			if written, isText := value.(string); isText && written != other[member] && !slices.Contains(r.Opaque, member) {
				found[key] = append(found[key], written)
			}
		}
	}
	return found
}

// traced requires that the API traced every record whose text a tool shows. Output declared as outside content taints
// the conversation anyway.
func (e *examination) traced(t tool.Tool, known map[string][]string, output string, told *tool.DisclosedRecords) {
	if t.Result.Untrusted {
		return
	}
	ids := told.IDs()
	for key, texts := range known {
		for _, written := range texts {
			id, err := uuid.Parse(key)
			if strings.Contains(output, written) && (err != nil || !slices.Contains(ids, id)) {
				e.report(Traced, "%s shows %q, and the API has not said by an id whose text that is", t.Name, written)
			}
		}
	}
}

// input returns the input of the example call about the record with this key.
func (e *examination) input(t tool.Tool, key string) map[string]any {
	call, ok := e.Calls[t.Name]
	if !ok {
		return map[string]any{}
	}
	return call.Input(e, key)
}

// calls checks writing tools: proposing changes nothing, applying is one write, a drifted target is not overwritten,
// and callers without visibility cannot tell existing records from missing ones.
func (e *examination) calls() {
	for _, t := range e.tools {
		if t.Effect == tool.Read {
			continue
		}
		call, ok := e.Calls[t.Name]
		if !ok {
			e.report(Pure, "%s has no example", t.Name)
			continue
		}
		key, etag := "", ""
		if call.Record != "" {
			key, _ = e.make(e.record(call.Record))
		}
		in := e.input(t, key)
		if call.Record != "" {
			r := e.record(call.Record)
			etag = e.Server.Do(e, "root", http.MethodGet, fill(r.at(), key), nil).Header.Get("ETag")
		}
		c, sent := e.watched("root")
		before := e.rows()
		p, err := t.DryRun(e.Context(), c, raw(e, in))
		if err != nil {
			e.report(Pure, "the example of %s is refused: %v", t.Name, err)
			continue
		}
		e.unchanged(before, "proposing "+t.Name)
		if len(sent.writes) > 0 {
			e.report(Pure, "proposing %s makes the request %s", t.Name, sent.writes[0])
		}
		if p.Summary == "" {
			e.report(Texts, "a proposal of %s has no summary", t.Name)
		}
		if p.Revision != etag && !call.Elsewhere {
			e.report(Drift, "a proposal of %s is about the revision %s of a record that has %s", t.Name, p.Revision, etag)
		}
		e.toolTexts(t, in)
		e.targetsOf(t, call, p.Payload, key)
		e.cascadeOf(t, p)
		if call.Record != "" {
			e.driftOf(t, e.record(call.Record))
			e.refusalsOf(t, call, in, key)
		}
		// A request that stores nothing here may still be the single effect of applying, such as a request to another
		// system.
		*sent = requests{}
		c.Client.IdempotencyKey, c.Client.IfMatch = "proposal-"+uuid.NewString(), p.Revision
		if _, err := t.Run(e.Context(), c, p.Payload); err != nil {
			e.report(Pure, "applying the example of %s fails: %v", t.Name, err)
		} else if n := len(sent.writes) + len(sent.asks); n != 1 {
			e.report(Pure, "applying %s makes %d writes", t.Name, n)
		}
	}
}

// targetsOf requires that a proposal names its targets, for the visibility check of its readers, or is private to its
// author.
func (e *examination) targetsOf(t tool.Tool, call Call, payload json.RawMessage, key string) {
	if t.Access.Personal {
		return
	}
	if t.Access.Targets == nil {
		e.report(Sight, "%s does not say what its proposals are about, nor that they are one's own", t.Name)
		return
	}
	targets, err := t.Access.Targets(payload)
	if err != nil {
		e.report(Sight, "%s does not know what the payload of its own proposal is about: %v", t.Name, err)
		return
	}
	about := call.Record == ""
	for _, target := range targets {
		if status := e.Server.Do(e, "root", http.MethodGet, target.Path, nil).Status; status != http.StatusOK {
			e.report(Sight, "a proposal of %s is about %s, which answers %d", t.Name, target.Path, status)
		}
		about = about || target.Path == fill(e.record(call.Record).at(), key)
	}
	if !about {
		e.report(Sight, "a proposal of %s does not say that it is about %s", t.Name, call.Record)
	}
}

// cascadeOf requires that a removing tool declares whether it deletes related records, and that the declaration is
// true.
func (e *examination) cascadeOf(t tool.Tool, p tool.Proposed) {
	switch {
	case t.Impact.Cascade == "" && (t.Effect == tool.Destructive || t.Access.Hidden):
		e.report(Along, "%s does not say what goes with what it removes: declare it WithoutCascade or WithCascade", t.Name)
	case t.Impact.Cascade == tool.CascadeNone && len(p.Effects) > 0:
		e.report(Along, "%s says that nothing goes along, and its proposal says %q", t.Name, p.Effects)
	case t.Impact.Cascade == tool.CascadeOthers && len(p.Effects) == 0:
		e.report(Along, "%s says that something goes along, and the proposal of its example does not say what", t.Name)
	}
}

// driftOf requires that applying a proposal is refused when its record has changed since.
func (e *examination) driftOf(t tool.Tool, r Record) {
	if r.Change == nil {
		return
	}
	key, _ := e.make(r)
	p, err := t.DryRun(e.Context(), e.Server.Caller("root"), raw(e, e.input(t, key)))
	require.NoError(e, err)
	changed := e.Server.Do(e, "root", http.MethodPatch, fill(r.at(), key), r.Change)
	require.Less(e, changed.Status, 300, changed.Body)
	before := e.rows()
	if _, err := e.applied(t, p); !problem.Is(err, problem.Precondition) {
		e.report(Drift, "%s is applied to a record that has changed since: %v", t.Name, err)
		return
	}
	e.unchanged(before, "a refused "+t.Name)
}

func (e *examination) applied(t tool.Tool, p tool.Proposed) (any, error) {
	c := e.Server.Caller("root")
	c.Client.IdempotencyKey, c.Client.IfMatch = "proposal-"+uuid.NewString(), p.Revision
	return t.Run(e.Context(), c, p.Payload)
}

// refusalsOf requires that a caller without visibility gets the same answer as for a missing record.
func (e *examination) refusalsOf(t tool.Tool, call Call, in map[string]any, key string) {
	r := e.record(call.Record)
	nowhere := r.nowhere()
	elsewhere := json.RawMessage(strings.ReplaceAll(string(raw(e, in)), key, nowhere))
	for _, who := range []string{"nobody", "stranger"} {
		if e.Server.Do(e, who, http.MethodGet, fill(r.at(), key), nil).Status < 300 {
			continue
		}
		_, there := t.DryRun(e.Context(), e.Server.Caller(who), raw(e, in))
		_, missing := t.DryRun(e.Context(), e.Server.Caller(who), elsewhere)
		if there == nil || missing == nil || strings.ReplaceAll(there.Error(), key, nowhere) != missing.Error() {
			e.report(Refusals, "%s tells %s of a record %q and of none %q", t.Name, who, there, missing)
		}
	}
}

// rows returns a hash of all rows for each table, but for the events that a tool call has ended.
func (e *examination) rows() map[string]string {
	ctx := e.Context()
	found, err := e.Server.DB.Conn(ctx).Query(ctx,
		`SELECT relname, md5(query_to_xml(format('SELECT t::text FROM %I t %s ORDER BY 1', relname,
			CASE relname WHEN 'events' THEN 'WHERE type <> ''ai.toolCalled''' ELSE '' END), true, false, '')::text)
		FROM pg_class WHERE relnamespace = 'public'::regnamespace AND relkind = 'r'`)
	require.NoError(e, err)
	defer found.Close()
	tables := map[string]string{}
	for found.Next() {
		var name, rows string
		require.NoError(e, found.Scan(&name, &rows))
		tables[name] = rows
	}
	require.NoError(e, found.Err())
	return tables
}

func (e *examination) unchanged(before map[string]string, what string) {
	for name, rows := range e.rows() {
		// Tool calls themselves are recorded.
		if before[name] != rows && name != "ai_tool_calls" && name != "ai_audit_entries" {
			e.report(Pure, "%s changes the table %s", what, name)
		}
	}
}

// recorded sends a request and returns the response with every mention of one key replaced by another.
func (e *examination) recorded(as, method, path string, body any, key, instead string) (int, string) {
	answer := e.Server.Do(e, as, method, fill(path, key), body)
	return answer.Status, strings.ReplaceAll(answer.Body, key, instead)
}
