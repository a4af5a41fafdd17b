package command

import (
	"io"
	"strconv"
	"strings"
	"unicode/utf8"
)

func wc(i *Invocation) int {
	given, files := i.options(
		"lwcmL",
		map[string]string{"lines": "l", "words": "w", "bytes": "c", "chars": "m", "max-line-length": "L"},
		false,
	)
	wanted := ""
	for _, o := range given {
		wanted += o.name
	}
	if wanted == "" {
		wanted = "lwc"
	}
	var total [5]int
	width := 1
	if len(wanted) > 1 || len(files) > 1 {
		width = i.width(files)
	}
	show := func(counts [5]int, name string) {
		var cells []string
		for k, letter := range "lwmcL" {
			if strings.ContainsRune(wanted, letter) {
				cells = append(cells, strings.Repeat(" ", max(width-len(strconv.Itoa(counts[k])), 0))+strconv.Itoa(counts[k]))
			}
		}
		if name != "" {
			cells = append(cells, name)
		}
		i.printf("%s\n", strings.Join(cells, " "))
	}
	status := i.inputs(files, func(name string, r io.Reader) {
		c := counted(r)
		for k := range c[:4] {
			total[k] += c[k]
		}
		total[4] = max(total[4], c[4])
		if len(files) == 0 {
			name = ""
		}
		show(c, name)
	})
	if len(files) > 1 {
		show(total, "total")
	}
	return status
}

// width is that of the sum of the sizes, where they are known before.
func (i *Invocation) width(files []string) int {
	size := int64(0)
	for _, f := range files {
		info, err := i.Files.Stat(i.path(f))
		if err != nil || !info.Mode().IsRegular() {
			return 7
		}
		size += info.Size()
	}
	if len(files) == 0 {
		return 7
	}
	return len(strconv.FormatInt(size, 10))
}

// counted counts lines, words, characters, bytes, and the length of the longest line.
func counted(r io.Reader) [5]int {
	var c [5]int
	inWord := false
	length := 0
	b := make([]byte, 32<<10)
	for {
		n, err := r.Read(b)
		c[3] += n
		for _, x := range b[:n] {
			if utf8.RuneStart(x) {
				c[2]++
				length++
			}
			switch x {
			case '\n':
				c[0]++
				c[4] = max(c[4], length-1)
				length = 0
				inWord = false
			case ' ', '\t', '\r', '\v', '\f':
				inWord = false
			default:
				if !inWord {
					c[1]++
				}
				inWord = true
			}
		}
		if err != nil {
			c[4] = max(c[4], length)
			return c
		}
	}
}
