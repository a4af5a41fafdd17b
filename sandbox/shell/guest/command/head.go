package command

import (
	"io"
	"strings"
)

// ends reads the options that head and tail share: -n, -c, -NUMBER, -q, -v.
func (i *Invocation) ends() (bytes bool, count string, quiet, verbose bool, files []string) {
	if len(i.Args) > 0 && len(i.Args[0]) > 1 && i.Args[0][0] == '-' && strings.Trim(i.Args[0][1:], "0123456789") == "" {
		i.Args = append([]string{"-n", i.Args[0][1:]}, i.Args[1:]...)
	}
	given, files := i.options("n:c:qvf", map[string]string{"lines": "n", "bytes": "c", "quiet": "q", "silent": "q", "verbose": "v"}, false)
	count = "10"
	for _, o := range given {
		switch o.name {
		case "n":
			bytes, count = false, o.value
		case "c":
			bytes, count = true, o.value
		case "q":
			quiet = true
		case "v":
			verbose = true
		default:
			i.die(2, "the option -%s is not supported", o.name)
		}
	}
	return bytes, count, quiet, verbose, files
}

// each calls f for each file under a heading where there is more than one.
func (i *Invocation) each(files []string, quiet, verbose bool, f func(r io.Reader)) int {
	first := true
	return i.inputs(files, func(name string, r io.Reader) {
		if verbose || len(files) > 1 && !quiet {
			if !first {
				i.printf("\n")
			}
			if name == "-" {
				name = "standard input"
			}
			i.printf("==> %s <==\n", name)
		}
		first = false
		f(r)
	})
}

func head(i *Invocation) int {
	bytes, count, quiet, verbose, files := i.ends()
	text, butLast := strings.CutPrefix(count, "-")
	n := i.count(text)
	return i.each(files, quiet, verbose, func(r io.Reader) {
		switch {
		case bytes && butLast:
			all, _ := io.ReadAll(r)
			_, _ = i.Out.Write(all[:max(len(all)-n, 0)])
		case bytes:
			_, _ = io.CopyN(i.Out, r, int64(n))
		case butLast:
			all, _ := io.ReadAll(r)
			rows := strings.SplitAfter(strings.TrimSuffix(string(all), "\n")+"\n", "\n")
			_, _ = i.Out.WriteString(strings.Join(rows[:max(len(rows)-1-n, 0)], ""))
		case n > 0:
			left := n
			lines(r, func(line string) bool {
				i.printf("%s\n", line)
				left--
				return left > 0
			})
		}
	})
}
