package command

import (
	"crypto/md5"  //nolint:gosec // md5sum
	"crypto/sha1" //nolint:gosec // sha1sum
	"crypto/sha256"
	"crypto/sha512"
	"encoding/hex"
	"hash"
	"io"
	"strings"
)

// checksum is md5sum, sha1sum, sha256sum and sha512sum.
func checksum(i *Invocation) int {
	given, files := i.options("cbt", map[string]string{"check": "c", "binary": "b", "text": "t", "status": "status", "quiet": "quiet"}, false)
	check, status, quiet := false, false, false
	for _, o := range given {
		switch o.name {
		case "c":
			check = true
		case "status":
			status = true
		case "quiet":
			quiet = true
		}
	}
	algorithm := map[string]func() hash.Hash{"md5sum": md5.New, "sha1sum": sha1.New, "sha256sum": sha256.New, "sha512sum": sha512.New}[i.Name]
	sum := func(r io.Reader) string {
		h := algorithm()
		_, _ = io.Copy(h, r)
		return hex.EncodeToString(h.Sum(nil))
	}
	if !check {
		return i.inputs(files, func(name string, r io.Reader) { i.printf("%s  %s\n", sum(r), name) })
	}
	bad := 0
	code := i.inputs(files, func(_ string, r io.Reader) {
		lines(r, func(line string) bool {
			want, name, found := strings.Cut(line, " ")
			if !found {
				return true
			}
			name = strings.TrimLeft(name, " *")
			got := ""
			if i.inputs([]string{name}, func(_ string, r io.Reader) { got = sum(r) }) != 0 || !strings.EqualFold(got, want) {
				bad++
				if !status {
					i.printf("%s: FAILED\n", name)
				}
			} else if !status && !quiet {
				i.printf("%s: OK\n", name)
			}
			return true
		})
	})
	if bad > 0 {
		return i.fail(1, "WARNING: %d computed checksums did NOT match", bad)
	}
	return code
}
