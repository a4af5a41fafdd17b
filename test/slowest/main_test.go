package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

const stream = `go: downloading something
{"Action":"start","Package":"countersign/good"}
{"Action":"run","Package":"countersign/good","Test":"TestQuick"}
{"Action":"output","Package":"countersign/good","Test":"TestQuick","Output":"=== RUN   TestQuick\n"}
{"Action":"output","Package":"countersign/good","Test":"TestQuick","Output":"    good_test.go:1: a log\n"}
{"Action":"pass","Package":"countersign/good","Test":"TestQuick/part","Elapsed":0.4}
{"Action":"pass","Package":"countersign/good","Test":"TestQuick","Elapsed":0.5}
{"Action":"output","Package":"countersign/good","Output":"PASS\n"}
{"Action":"output","Package":"countersign/good","Output":"ok  \tcountersign/good\t1.0s\n"}
{"Action":"pass","Package":"countersign/good","Elapsed":1}
{"Action":"pass","Package":"countersign/old","Test":"TestLastWeek","Elapsed":900}
{"Action":"output","Package":"countersign/old","Output":"ok  \tcountersign/old\t(cached)\n"}
{"Action":"pass","Package":"countersign/old","Elapsed":0}
{"Action":"output","Package":"countersign/bad","Test":"TestSlow","Output":"=== RUN   TestSlow\n"}
{"Action":"output","Package":"countersign/bad","Test":"TestSlow","Output":"    bad_test.go:1: the reason\n"}
{"Action":"output","Package":"countersign/bad","Test":"TestSlow","Output":"--- FAIL: TestSlow (7.00s)\n"}
{"Action":"fail","Package":"countersign/bad","Test":"TestSlow","Elapsed":7}
{"Action":"output","Package":"countersign/bad","Output":"FAIL\n"}
{"Action":"output","Package":"countersign/bad","Output":"FAIL\tcountersign/bad\t7.1s\n"}
{"Action":"fail","Package":"countersign/bad","Elapsed":7.1}
{"ImportPath":"countersign/none","Action":"build-output","Output":"none.go:1: undefined: x\n"}
`

func TestOutputIsThatOfGoTestAndTheSlowestTestsOfAllStagesAreReported(t *testing.T) {
	dir := t.TempDir()
	in, err := os.CreateTemp(dir, "stream")
	require.NoError(t, err)
	_, err = in.WriteString(stream)
	require.NoError(t, err)
	_, err = in.Seek(0, 0)
	require.NoError(t, err)
	kept := filepath.Join(dir, "go")
	var out strings.Builder
	require.NoError(t, follow(in, &out, kept))
	require.Equal(t, `go: downloading something
ok  	countersign/good	1.0s
ok  	countersign/old	(cached)
    bad_test.go:1: the reason
--- FAIL: TestSlow (7.00s)
FAIL
FAIL	countersign/bad	7.1s
none.go:1: undefined: x
`, out.String())

	browser := filepath.Join(dir, "browser")
	require.NoError(t, os.WriteFile(browser, []byte(`{"testResults":[{"name":"/browser/a.test.ts","assertionResults":[
		{"fullName":"A page opens","duration":6500.5},{"fullName":"A page closes","duration":90}]}]}`), 0o600))
	out.Reset()
	require.NoError(t, report(&out, 3, []string{kept, browser}))
	require.Equal(t, `      7.0 s  bad TestSlow
      6.5 s  /browser/a.test.ts A page opens
      0.5 s  good TestQuick
`, out.String())
}
