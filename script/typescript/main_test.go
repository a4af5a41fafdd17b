package typescript_test

import (
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"

	"countersign/script/sdk"
	"countersign/script/typescript"
)

func TestMain(m *testing.M) {
	typescript.RunIfChild()
	goleak.VerifyTestMain(m)
}

// patient is for a busy machine; tests that wait for a kill take a shorter time.
func patient() typescript.Options {
	return typescript.Options{Processes: 1, Timeout: 2 * time.Minute, LowPriorityAfter: 2 * time.Minute}
}

func compiler(t testing.TB, o typescript.Options) *typescript.Compiler {
	c := typescript.New(o)
	t.Cleanup(c.Close)
	return c
}

func compile(t testing.TB, c *typescript.Compiler, in sdk.Context, source string) typescript.Compiled {
	compiled, err := c.Compile(t.Context(), source, in)
	require.NoError(t, err)
	return compiled
}

// healthCheck makes a whole script of the body of a health check. The body begins in line 2.
func healthCheck(body ...string) string {
	return "import { defineHealthCheck } from \"@countersign/sdk/healthcheck\"; export default defineHealthCheck(async (context) => {\n" +
		strings.Join(body, "\n") + "\n});\n"
}

// place is where a text is in a source, as editors count.
func place(t testing.TB, source, text string) (line, column int) {
	before, _, found := strings.Cut(source, text)
	require.True(t, found)
	return strings.Count(before, "\n") + 1, len(before) - strings.LastIndex(before, "\n")
}
