package child

import "syscall"

func bindToParent(attr *syscall.SysProcAttr, sig syscall.Signal) { attr.Pdeathsig = sig }
