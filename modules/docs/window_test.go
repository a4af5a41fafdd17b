package docs_test

import (
	"encoding/json"
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"countersign/api/apitest"
	"countersign/chat/assistant"
	"countersign/docsindex"
	"countersign/model"
	"countersign/modules/docs"
	"countersign/tool"
)

// reader reads the documentation as a model with a window does: through the tools, what they are told of their room, and
// the clamp.
type reader struct {
	*apitest.Server
	window, room int
	tools        []model.Tool
}

func newReader(t *testing.T, s *apitest.Server, m *docs.Module, window int) reader {
	t.Helper()
	r := reader{Server: s, window: window}
	for _, known := range m.Tools() {
		r.tools = append(r.tools, model.Tool{Name: known.WireName(), Description: known.Description, Parameters: known.Input.JSON()})
	}
	r.room = assistant.Room(window, 0, assistant.MessageTokens(r.system()), assistant.ToolTokens(r.tools))
	return r
}

func (reader) system() model.Message {
	return model.Message{
		Role:    model.RoleSystem,
		Content: assistant.System(assistant.Prompt{Tools: []string{"ai.searchDocs", "ai.askOperator", "ai.searchMemory"}, Searching: true}),
	}
}

// call is the result as the model is shown it. It is whole, and the request that shows it is within the window.
func (r reader) call(t *testing.T, name string, input map[string]any, out any) {
	t.Helper()
	known, caller := r.Tool(t, name), r.Caller("Ada")
	caller.Room = tool.Room{Chars: assistant.ResultChars(r.window, r.room, 1)}
	raw, err := json.Marshal(input)
	require.NoError(t, err)
	output, err := known.Run(t.Context(), caller, raw)
	require.NoError(t, err, "%s %s", name, raw)
	canonical, err := tool.Canonical(output)
	require.NoError(t, err)
	shown := assistant.Clamp(canonical, caller.Room.Chars, known.Ways()...)
	require.Equal(t, string(canonical), string(shown), "what knows its room is not cut")
	require.NoError(t, json.Unmarshal(shown, out))

	asked := []model.Message{{Role: model.RoleUser, Content: "How does this work?"}}
	running := []model.Message{
		{Role: model.RoleAssistant, ToolCalls: []model.ToolCall{{ID: "a", Name: known.WireName(), Arguments: string(raw)}}},
		{Role: model.RoleTool, ToolCallID: "a", Content: string(shown)},
	}
	fitted := assistant.Fit(asked, running, r.room)
	require.Equal(t, string(shown), fitted[2].Content, "nor is it to make the request fit")
	request := model.Request{Tools: r.tools, Messages: append([]model.Message{r.system()}, fitted...)}
	require.LessOrEqual(t, assistant.RequestTokens(request)+assistant.ReplyTokens(r.window), r.window)
}

var counts = regexp.MustCompile(`pages (\d+) to (\d+) of the (\d+) pages`)

// list is every page that can be reached by listing. Each note says what the list holds.
func (r reader) list(t *testing.T, section string, exist int) map[string]string {
	t.Helper()
	titles, cursor := map[string]string{}, ""
	for {
		input := map[string]any{}
		if section != "" {
			input["section"] = section
		}
		if cursor != "" {
			input["cursor"] = cursor
		}
		var l docs.Listing
		r.call(t, "ai.listDocs", input, &l)
		before := len(titles)
		for _, p := range l.Pages {
			require.NotContains(t, titles, p.Slug)
			titles[p.Slug] = p.Title
		}
		if strings.Contains(l.Note, "all pages") || strings.Contains(l.Note, "all "+strconv.Itoa(exist)+" pages") {
			require.Len(t, titles, exist, "%d tokens: %s", r.window, l.Note)
			require.Empty(t, l.NextCursor)
		} else {
			require.Equal(
				t,
				[]string{strconv.Itoa(before + 1), strconv.Itoa(len(titles)), strconv.Itoa(exist)},
				counts.FindStringSubmatch(l.Note)[1:],
				l.Note,
			)
			require.Equal(t, len(titles) < exist, strings.Contains(l.Note, "more follow"), l.Note)
		}
		if cursor = l.NextCursor; cursor == "" {
			return titles
		}
	}
}

var (
	span = regexp.MustCompile(`This is bytes (\d+) to (\d+) of a page of (\d+)\.`)
	goOn = regexp.MustCompile(`goes on: call ai_getDoc with this slug(?: and section)? and offset (\d+)\.`)
)

// read is a page, or a section of it, put together of its parts.
func (r reader) read(t *testing.T, page docsindex.Page, section string) string {
	t.Helper()
	var whole strings.Builder
	input := map[string]any{"slug": page.Slug}
	if section != "" {
		input["section"] = section
	}
	for {
		var part docs.Part
		r.call(t, "ai.getDoc", input, &part)
		require.NotEmpty(t, part.Content)
		whole.WriteString(part.Content)
		if part.Note == "" {
			require.Equal(t, page.Content, part.Content)
			return part.Content
		}
		require.Equal(
			t,
			[]string{strconv.Itoa(part.Offset), strconv.Itoa(part.Offset + len(part.Content)), strconv.Itoa(len(page.Content))},
			span.FindStringSubmatch(part.Note)[1:],
			part.Note,
		)
		require.Equal(t, page.Content[part.Offset:part.Offset+len(part.Content)], part.Content)
		if part.NextOffset == 0 {
			require.Contains(t, part.Note, "ends here")
			return whole.String()
		}
		require.Equal(t, strconv.Itoa(part.NextOffset), goOn.FindStringSubmatch(part.Note)[1])
		input["offset"] = part.NextOffset
	}
}

// Whatever window a model has, it can list every page, read each to its end, and read every section by its heading.
func TestEveryPageIsWithinReachOfEveryWindow(t *testing.T) {
	t.Parallel()
	s := apitest.New(t)
	m, err := docs.New()
	require.NoError(t, err)
	s.Mount(t, m)
	s.Person("Ada", "ai.chat.read")
	var sitemap docsindex.Sitemap
	index, err := docsindex.Load()
	require.NoError(t, err)
	sitemap = index.List("")
	for _, window := range []int{assistant.LeastWindow, 6_000, 8_192, 13_000, 16_384, 32_768, 65_536, 131_072, 262_144} {
		r := newReader(t, s, m, window)
		titles := r.list(t, "", len(sitemap.Pages))
		for _, section := range sitemap.Sections {
			r.list(t, section, len(index.List(section).Pages))
		}
		for _, ref := range sitemap.Pages {
			require.Equal(t, ref.Title, titles[ref.Slug])
			doc, err := index.Get(ref.Slug)
			require.NoError(t, err)
			page := docsindex.Page{Slug: doc.Slug, Content: doc.Content}
			require.Equal(t, page.Content, r.read(t, page, ""), "%s in %d tokens", ref.Slug, window)
			for _, h := range docsindex.Headings(doc.Content) {
				text := r.read(t, page, h.Text)
				require.True(t, strings.HasPrefix(text, "#"), text)
				require.Contains(t, page.Content, text)
				require.NotContains(t, strings.TrimLeft(text, "#"), "\n"+strings.Repeat("#", h.Level)+" ", "the section ends where the next one begins")
			}
		}
	}
}

// A section that is not there is an error that names those that are.
func TestAnUnknownSectionNamesTheOthers(t *testing.T) {
	t.Parallel()
	s := apitest.New(t)
	m, err := docs.New()
	require.NoError(t, err)
	s.Mount(t, m)
	s.Person("Ada", "ai.chat.read")
	get := s.Tool(t, "ai.getDoc")
	for input, want := range map[string]string{
		`{"slug":"concepts/memory","section":"Nonsense"}`: "It has: ",
		`{"slug":"concepts/memory","offset":999999}`:      "nothing at offset 999999",
	} {
		_, err := get.Run(t.Context(), s.Caller("Ada"), json.RawMessage(input))
		require.ErrorContains(t, err, want)
	}
	index, err := docsindex.Load()
	require.NoError(t, err)
	doc, err := index.Get("concepts/memory")
	require.NoError(t, err)
	heading := docsindex.Headings(doc.Content)[1].Text
	anchor := "#" + strings.ToLower(strings.ReplaceAll(heading, " ", "-"))
	out, err := get.Run(t.Context(), s.Caller("Ada"), json.RawMessage(fmt.Sprintf(`{"slug":"concepts/memory","section":%q}`, anchor)))
	require.NoError(t, err)
	part, ok := out.(docs.Part)
	require.True(t, ok)
	require.Contains(t, part.Content, heading, "an anchor names its section")
}
