package command

import (
	"encoding/base64"
	"strings"
)

func encodeBase64(i *Invocation) int {
	given, files := i.options("dDw:i", map[string]string{"decode": "d", "wrap": "w", "ignore-garbage": "i"}, false)
	decode, width := false, 76
	for _, o := range given {
		switch o.name {
		case "d", "D":
			decode = true
		case "w":
			width = i.count(o.value)
		}
	}
	text, status := i.all(files)
	if status != 0 {
		return status
	}
	if decode {
		out, err := base64.StdEncoding.DecodeString(strings.Join(strings.Fields(string(text)), ""))
		if err != nil {
			return i.fail(1, "invalid input")
		}
		_, _ = i.Out.Write(out)
		return 0
	}
	out := base64.StdEncoding.EncodeToString(text)
	for width > 0 && len(out) > width {
		i.printf("%s\n", out[:width])
		out = out[width:]
	}
	i.printf("%s", out)
	if width > 0 && len(text) > 0 {
		i.printf("\n")
	}
	return 0
}
