package command

import "bytes"

func compareFiles(i *Invocation) int {
	given, files := i.options("sl", map[string]string{"silent": "s", "quiet": "s"}, false)
	if len(files) != 2 {
		return i.fail(2, "give two files")
	}
	a, b := i.input(files[0]), i.input(files[1])
	if bytes.Equal(a, b) {
		return 0
	}
	if len(given) > 0 {
		return 1
	}
	for n := range min(len(a), len(b)) {
		if a[n] != b[n] {
			i.printf("%s %s differ: byte %d, line %d\n", files[0], files[1], n+1, bytes.Count(a[:n], []byte("\n"))+1)
			return 1
		}
	}
	shorter := files[0]
	if len(b) < len(a) {
		shorter = files[1]
	}
	return i.fail(1, "EOF on %s", shorter)
}
