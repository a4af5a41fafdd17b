package command

import (
	"io"
	"os"
)

func tee(i *Invocation) int {
	given, files := i.options("ai", map[string]string{"append": "a"}, false)
	flag := os.O_WRONLY | os.O_CREATE | os.O_TRUNC
	for _, o := range given {
		if o.name == "a" {
			flag = os.O_WRONLY | os.O_CREATE | os.O_APPEND
		}
	}
	status := 0
	to := []io.Writer{i.Out}
	var open []io.Closer
	for _, name := range files {
		w, err := i.open(name, flag)
		if err != nil {
			status = i.fail(1, "%s: %v", name, err)
			continue
		}
		to, open = append(to, w), append(open, w)
	}
	_, _ = io.Copy(io.MultiWriter(to...), i.Stdin)
	for _, w := range open {
		_ = w.Close()
	}
	return status
}
