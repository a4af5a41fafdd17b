// Package declaredtest reads what the folders of the product declare about their operations and tools, each in a file
// testdata/declared.yaml, for tests that hold for all of them. An operation or tool that no folder declares, or that two
// declare, fails these tests.
package declaredtest

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"go.yaml.in/yaml/v3"
)

// File is the name of the file in a folder.
const File = "testdata/declared.yaml"

// Declarations are those of all folders.
type Declarations struct {
	Operations map[string]Operation
	Records    map[string]Record
	Tools      map[string]Tool

	// order are the operations by folder and place in its file.
	order []string
}

// Operation is an operation of the REST API that changes something.
type Operation struct {
	// Lock is for test/attack, which tries it as everybody. Attacked names files and folders with tests that do so instead.
	Lock     *Lock    `yaml:"lock"`
	Attacked []string `yaml:"attacked"`
	// Own says that these tests show it to be about the caller alone, or to change nothing.
	Own bool `yaml:"own"`
	// Change is an example of it, which leaves an entry in the audit log. Unrecorded says why there is none.
	Change     *Change `yaml:"change"`
	Unrecorded string  `yaml:"unrecorded"`
	// Ungoverned says why no policy holds for it; empty for the operation of a tool.
	Ungoverned string `yaml:"ungoverned"`
}

// Lock is a request that is right in all but who makes it.
type Lock struct {
	Path string `yaml:"path"`
	Body any    `yaml:"body"`
	// Opens are the access rules of which one is enough.
	Opens []string `yaml:"opens"`
	// Owner is whose thing it is, when no rule opens it, not even the administrator's; Everybody for what all who are signed
	// in may do with their own.
	Owner string `yaml:"owner"`
	// Also are people who may because of a grant.
	Also []string `yaml:"also"`
	// Last orders requests that end what others need: those with a higher number come later.
	Last int `yaml:"last"`
}

// Everybody is the owner of what is one's own.
const Everybody = "everybody"

// Change is an example of an operation. Placeholders in its path and bodies are filled by a Scope.
type Change struct {
	Path string `yaml:"path"`
	Body any    `yaml:"body"`
	// As is who makes it: person, anonymous, or the administrator when it is empty.
	As string `yaml:"as"`
	// Needs are records beside those in the path and the body.
	Needs []string `yaml:"needs"`
	// Before are requests that come first.
	Before []Request `yaml:"before"`
}

// Request is a request of a preparation.
type Request struct {
	Method string `yaml:"method"`
	Path   string `yaml:"path"`
	Body   any    `yaml:"body"`
}

// Record is how to make what a placeholder stands for, by a POST.
type Record struct {
	Path string `yaml:"path"`
	Body any    `yaml:"body"`
	As   string `yaml:"as"`
	// ID is the path of its id in the answer, such as application.id; id when it is empty.
	ID string `yaml:"id"`
	// Then are further requests, which may refer to it.
	Then []Request `yaml:"then"`
}

// Tool is a tool of the product.
type Tool struct {
	// Covers are the tools whose effect a write has among its own, so that their policies hold for it too: what could be
	// achieved by it that another one's policy is about? It is nil for a read.
	Covers []string `yaml:"covers"`
	// Tasks are what people ask for, and the tool does. A task with none of the tool's telling words is the harder half.
	Tasks []string `yaml:"tasks"`
}

// Locked returns the operations with a lock, in the order in which test/attack tries them.
func (d *Declarations) Locked() []string {
	locked := slices.DeleteFunc(slices.Clone(d.order), func(id string) bool { return d.Operations[id].Lock == nil })
	slices.SortStableFunc(locked, func(a, b string) int {
		return cmp.Compare(d.Operations[a].Lock.Last, d.Operations[b].Lock.Last)
	})
	return locked
}

// Load reads the declarations of all folders of the repository.
func Load(t testing.TB) *Declarations {
	t.Helper()
	d, err := Read(root(t))
	require.NoError(t, err)
	return d
}

// Read reads the declarations of all folders below one. It refuses unknown members, operations with a gap, and what is
// declared twice.
func Read(root string) (*Declarations, error) {
	d := &Declarations{Operations: map[string]Operation{}, Records: map[string]Record{}, Tools: map[string]Tool{}}
	return d, filepath.WalkDir(root, func(path string, entry fs.DirEntry, err error) error {
		hidden := path != root && strings.HasPrefix(entry.Name(), ".") || entry.Name() == "node_modules"
		switch {
		case err != nil:
			return err
		case entry.IsDir() && hidden:
			return fs.SkipDir
		case entry.IsDir() || !strings.HasSuffix(filepath.ToSlash(path), "/"+File):
			return nil
		}
		if err := d.add(root, path); err != nil {
			return fmt.Errorf("%s: %w", path, err)
		}
		return nil
	})
}

// root is the folder of the repository.
func root(t testing.TB) string {
	t.Helper()
	folder, err := os.Getwd()
	require.NoError(t, err)
	for {
		if _, err := os.Stat(filepath.Join(folder, "go.mod")); err == nil {
			return folder
		}
		require.NotEqual(t, filepath.Dir(folder), folder, "the tests run in the repository")
		folder = filepath.Dir(folder)
	}
}

// add reads the file of a folder.
func (d *Declarations) add(root, path string) error {
	raw, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	var f struct {
		Records    map[string]Record    `yaml:"records"`
		Operations map[string]Operation `yaml:"operations"`
		Tools      map[string]Tool      `yaml:"tools"`
	}
	decoder := yaml.NewDecoder(bytes.NewReader(raw))
	decoder.KnownFields(true)
	if err := decoder.Decode(&f); err != nil {
		return err
	}
	var ordered struct {
		Operations yaml.Node `yaml:"operations"`
	}
	if err := yaml.Unmarshal(raw, &ordered); err != nil {
		return err
	}
	var failed []error
	for i := 0; i+1 < len(ordered.Operations.Content); i += 2 {
		id := ordered.Operations.Content[i].Value
		failed = append(failed, f.Operations[id].check(root, id), put(d.Operations, id, f.Operations[id]))
		d.order = append(d.order, id)
	}
	for name, record := range f.Records {
		failed = append(failed, put(d.Records, name, record))
	}
	for name, tool := range f.Tools {
		failed = append(failed, put(d.Tools, name, tool))
	}
	return errors.Join(failed...)
}

func put[Item any](all map[string]Item, name string, item Item) error {
	if _, twice := all[name]; twice {
		return fmt.Errorf("%s is declared twice", name)
	}
	all[name] = item
	return nil
}

// check refuses an operation that lacks a declaration, or has two for one thing.
func (o Operation) check(root, id string) error {
	if (o.Lock == nil) == (len(o.Attacked) == 0) {
		return fmt.Errorf("%s has neither or both of a lock and the tests that attack it", id)
	}
	if (o.Change == nil) == (o.Unrecorded == "") {
		return fmt.Errorf("%s has neither or both of a change and the reason why it leaves no entry", id)
	}
	for _, place := range o.Attacked {
		if _, err := os.Stat(filepath.Join(root, place)); err != nil {
			return fmt.Errorf("%s is attacked by tests that do not exist: %w", id, err)
		}
	}
	return nil
}
