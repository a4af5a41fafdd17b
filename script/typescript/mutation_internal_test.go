package typescript

import (
	"math/rand/v2"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/microsoft/typescript-go/shim/analysis"
	"github.com/stretchr/testify/require"
)

// Sources that are nearly right take the analysis to places that neither right nor random ones do.
func TestSamplesWithTokensChangedAreAnalysed(t *testing.T) {
	t.Parallel()
	files, err := filepath.Glob("testdata/tools/*.txt")
	require.NoError(t, err)
	tokens := regexp.MustCompile("[\\p{L}_$][\\p{L}\\p{N}_$]*|\"[^\"\n]*\"|`[^`\n]*`|=>|\\.\\.\\.|\\?\\.|\\S|\\s+")
	var sources [][]string
	for _, f := range files {
		text, err := os.ReadFile(f)
		require.NoError(t, err)
		for part := range strings.SplitSeq(string(text), "\n=== ") {
			_, rest, _ := strings.Cut(part, "\n")
			source, _, _ := strings.Cut(rest, "\n--- ")
			sources = append(sources, tokens.FindAllString(source, -1))
		}
	}
	require.Greater(t, len(sources), 500)
	random := rand.New(rand.NewPCG(1, 2))
	pick := func() string {
		other := sources[random.IntN(len(sources))]
		return other[random.IntN(len(other))]
	}
	for range 20 * len(sources) {
		base := sources[random.IntN(len(sources))]
		changed := append([]string{}, base...)
		for range 1 + random.IntN(4) {
			at := random.IntN(len(changed))
			switch random.IntN(4) {
			case 0:
				changed[at] = ""
			case 1:
				changed[at] = pick()
			case 2:
				changed[at] += pick()
			default:
				other := random.IntN(len(changed))
				changed[at], changed[other] = changed[other], changed[at]
			}
		}
		source := strings.Join(changed, "")
		last := end(source).Line
		read := analysis.Analyze(source, analysis.Rules{Module: judgeModule, Global: judgeGlobal})
		refused := false
		for _, d := range findings(read) {
			require.True(t, d.Line >= 1 && d.Line <= last && d.Message != "" && d.Code != "", "%+v\n%s", d, source)
			refused = refused || d.Severity == Error
		}
		require.True(t, refused || read.Default != nil, "what has no error has a default action: %s", source)
	}
}
