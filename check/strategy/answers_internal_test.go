package strategy

import (
	"encoding/json"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/stretchr/testify/require"
)

// FuzzWhatHostsWrite reads what a host may write in place of what is expected.
func FuzzWhatHostsWrite(f *testing.F) {
	for _, text := range []string{
		"cpu  1 2 3 4 5 6 7 8 9 10\ncpu0 1 2 3 4\n", "0.5 0.4 0.3 1/2 3\n", "Filesystem 1024-blocks Used Available Capacity Mounted on\n/dev/a b 1 1 0 100% /mnt/x y\n",
		"cpu 18446744073709551615 1 1 1\n", "x 1 2 3 4%\n", "# Server\r\nredis_version:7.2\r\nused_memory:0x10\r\nload:1e400\r\nempty:\r\n",
	} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		if all, cores, ok := counters(text); ok {
			require.GreaterOrEqual(t, all.total, all.idle)
			require.GreaterOrEqual(t, cores, 0)
		}
		loads(text)
		if disk, ok := diskOf(text); ok {
			require.GreaterOrEqual(t, disk.UsedPercent, 0.0)
			require.LessOrEqual(t, disk.UsedPercent, 100.0)
			require.True(t, utf8.ValidString(disk.Filesystem+disk.MountPoint))
		}
		require.True(t, json.Valid([]byte(infoDocument(text))))
		line := brief(text)
		require.NotContains(t, line, "\n")
		require.LessOrEqual(t, utf8.RuneCountInString(line), 203)
		require.LessOrEqual(t, len(clip(text, 10)), 10)
	})
}

// FuzzRowsOfDatabases makes results of rows that no database has to mean well with.
func FuzzRowsOfDatabases(f *testing.F) {
	f.Add("name", "Ada", true, false)
	f.Add("n", "NaN", true, false)
	f.Add("n", "1e999", true, false)
	f.Add("n", "\xff\x00{", true, true)
	f.Fuzz(func(t *testing.T, name, text string, bare, null bool) {
		var r queryResult
		r.take([]column{{name: name, text: text, bare: bare, null: null}, {name: "other", text: strings.Repeat(text, 3), bare: bare}})
		require.True(t, json.Valid([]byte(r.Row)), r.Row)
		require.True(t, utf8.ValidString(r.Value))
		_, err := json.Marshal(r)
		require.NoError(t, err)
	})
}
