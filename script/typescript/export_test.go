package typescript

import "github.com/microsoft/typescript-go/shim"

// PIDs are the ids of the processes that have nothing to do. No work may run meanwhile.
func (c *Compiler) PIDs() []int {
	var ids []int
	for range c.pool.options.Processes {
		slot := <-c.pool.slots
		if slot != nil {
			ids = append(ids, slot.cmd.Process.Pid)
		}
		c.pool.slots <- slot
	}
	return ids
}

// ChildVariable marks a process as a child.
const ChildVariable = childVariable

// Free is how many processes have nothing to do.
func (c *Compiler) Free() int { return len(c.pool.slots) }

// DeclaredLibrary is what the type checker knows as values.
func DeclaredLibrary() shim.Library {
	e := newEngine()
	e.warmUp()
	return e.checker.Library()
}
