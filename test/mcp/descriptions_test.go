package mcp_test

import (
	"encoding/json"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"net/http"
	"path/filepath"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"countersign/app/apptest"
	"countersign/internal/json/schema"
)

// Descriptions in tool schemas and in the OpenAPI document are the whole texts of the source: no tag grammar has cut
// them. The test reads the tools of MCP clients, with the product's own two, those of chats, and the operations of the
// HTTP API.
func TestNoDescriptionIsCut(t *testing.T) {
	t.Parallel()
	whole := textsOfTags(t)
	require.Contains(t, whole, "Why the person agrees, in their words")
	require.Equal(t, []string{"Why the person agrees"}, cutOf([]string{"Why the person agrees"}, whole), "a cut text is found")

	p := apptest.Start(t, apptest.Options{})
	c := p.Application(t, p.Role(t, everyRule(t, p)...))
	var said []string
	documents := map[string]json.RawMessage{}
	for _, one := range listed(t, connect(t, p, c, "", nil)) {
		for kind, document := range map[string]any{"input": one.InputSchema, "output": one.OutputSchema} {
			raw, err := json.Marshal(document)
			require.NoError(t, err)
			documents[one.Name+" "+kind] = raw
		}
	}
	require.Contains(t, documents, "proposal_apply input")
	for _, path := range []string{"/api/ai/tools", "/api/openapi.json"} {
		answer := p.Admin.Call(t, http.MethodGet, path, nil)
		require.Equal(t, http.StatusOK, answer.Status)
		documents[path] = answer.Body
	}
	for name, raw := range documents {
		var document any
		require.NoError(t, json.Unmarshal(raw, &document), name)
		said = descriptions(document, said)
	}
	require.Contains(t, said, "The number of a draft, or draft for the newest one, which is made if there is none.")
	require.Contains(t, said, "Why the person agrees, in their words")
	require.Empty(t, cutOf(said, whole))
}

// cutOf are the texts that are no whole text, and the beginning of one, up to a comma.
func cutOf(said, whole []string) (cut []string) {
	for _, text := range said {
		begins := func(w string) bool { return strings.HasPrefix(w, text+",") }
		if text != "" && !slices.Contains(whole, text) && slices.ContainsFunc(whole, begins) {
			cut = append(cut, text)
		}
	}
	return cut
}

// descriptions are all texts that a document has for its members.
func descriptions(document any, found []string) []string {
	switch d := document.(type) {
	case map[string]any:
		for name, value := range d {
			if text, ok := value.(string); ok && (name == "description" || name == "title") {
				found = append(found, text)
			}
			found = descriptions(value, found)
		}
	case []any:
		for _, one := range d {
			found = descriptions(one, found)
		}
	}
	return found
}

// textsOfTags are the texts for people and models in the struct tags of the product, each as it was meant. It fails for
// a tag that its grammar cuts, also where nothing reads it yet.
func textsOfTags(t *testing.T) (whole []string) {
	t.Helper()
	root := filepath.Join("..", "..")
	require.NoError(t, filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if d.IsDir() && path != root && (slices.Contains([]string{"node_modules", "testdata", "dev", "bin"},
			d.Name()) || strings.HasPrefix(d.Name(), ".")) && d.Name() != ".." {
			return fs.SkipDir
		}
		if d.IsDir() || !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go") {
			return nil
		}
		file, err := parser.ParseFile(token.NewFileSet(), path, nil, parser.SkipObjectResolution)
		if err != nil {
			return err
		}
		ast.Inspect(file, func(n ast.Node) bool {
			field, ok := n.(*ast.Field)
			if !ok || field.Tag == nil {
				return true
			}
			text, err := strconv.Unquote(field.Tag.Value)
			require.NoError(t, err, path)
			tag := reflect.StructTag(text)
			require.Empty(t, schema.CutTag(tag.Get("jsonschema")), "%s: a text with a comma stands in a tag jsonschema_description", path)
			whole = append(whole, tag.Get("doc"), tag.Get("jsonschema_description"))
			if _, said, ok := strings.Cut(tag.Get("jsonschema"), "description="); ok {
				text, _, _ := strings.Cut(said, ",")
				whole = append(whole, text)
			}
			return true
		})
		return nil
	}))
	return whole
}
