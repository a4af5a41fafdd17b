package command

import "io"

// child runs a command with the environment, the folder and the streams of this one.
func (i *Invocation) child(args []string, stdin io.Reader) int {
	_ = i.Out.Flush()
	return i.Call(i.Context, Child{Args: args, Env: i.Env, Dir: i.Dir, Stdin: stdin, Stdout: i.Out, Stderr: i.Err})
}
