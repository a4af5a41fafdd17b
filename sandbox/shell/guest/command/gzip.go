package command

import (
	"bytes"
	"compress/gzip"
	"io"
	"strings"
)

// gzipped is gzip and gunzip.
func gzipped(i *Invocation) int {
	given, files := i.options("cdkfn123456789qtv", map[string]string{"stdout": "c", "decompress": "d", "keep": "k", "force": "f"}, false)
	unpack, stdout, keep := i.Name == "gunzip", false, false
	level := gzip.DefaultCompression
	for _, o := range given {
		switch o.name {
		case "c":
			stdout = true
		case "d":
			unpack = true
		case "k":
			keep = true
		case "t":
			return i.fail(2, "the option -t is not supported")
		default:
			if o.name[0] >= '1' && o.name[0] <= '9' {
				level = int(o.name[0] - '0')
			}
		}
	}
	one := func(w io.Writer, r io.Reader) error {
		if unpack {
			z, err := gzip.NewReader(r)
			if err == nil {
				_, err = io.Copy(w, z) //nolint:gosec // the memory of the guest is bounded
			}
			return err
		}
		z, err := gzip.NewWriterLevel(w, level)
		if err == nil {
			_, err = io.Copy(z, r)
		}
		if err == nil {
			err = z.Close()
		}
		return err
	}
	if len(files) == 0 || stdout {
		status := 0
		return max(status, i.inputs(files, func(name string, r io.Reader) {
			if err := one(i.Out, r); err != nil {
				i.die(1, "%s: %v", name, err)
			}
		}))
	}
	status := 0
	for _, name := range files {
		target := name + ".gz"
		if unpack {
			if target = strings.TrimSuffix(name, ".gz"); target == name {
				status = i.fail(1, "%s: unknown suffix", name)
				continue
			}
		}
		var b bytes.Buffer
		if err := one(&b, bytes.NewReader(i.input(name))); err != nil {
			status = i.fail(1, "%s: %v", name, err)
			continue
		}
		if err := i.Files.WriteFile(i.path(target), b.Bytes()); err != nil {
			status = i.fail(1, "%s: %v", target, why(err))
			continue
		}
		if !keep {
			_ = i.Files.Remove(i.path(name))
		}
	}
	return status
}
