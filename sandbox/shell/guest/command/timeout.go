package command

import "context"

func timeout(i *Invocation) int {
	_, args := i.options("s:k:pfv", map[string]string{
		"signal": "s", "kill-after": "k", "preserve-status": "p", "foreground": "f", "verbose": "v",
	}, true)
	if len(args) < 2 {
		return i.fail(125, "give a time and a command")
	}
	d, ok := duration(args[0])
	if !ok {
		return i.fail(125, "invalid time interval '%s'", args[0])
	}
	ctx := i.Context
	if d > 0 {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeout(ctx, d)
		defer cancel()
	}
	_ = i.Out.Flush()
	status := i.Call(ctx, Child{Args: args[1:], Env: i.Env, Dir: i.Dir, Stdin: i.Stdin, Stdout: i.Out, Stderr: i.Err})
	if ctx.Err() != nil && i.Context.Err() == nil {
		return 124
	}
	return status
}
