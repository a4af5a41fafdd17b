package command

// There is no machine to tell about: these answer the same everywhere.

func hostname(i *Invocation) int {
	i.printf("sandbox\n")
	return 0
}

func whoami(i *Invocation) int {
	i.printf("user\n")
	return 0
}

func nproc(i *Invocation) int {
	i.printf("1\n")
	return 0
}

func id(i *Invocation) int {
	given, _ := i.options("ugGnr", map[string]string{"user": "u", "group": "g", "name": "n"}, false)
	name, which := false, ""
	for _, o := range given {
		if o.name == "n" {
			name = true
		} else {
			which = o.name
		}
	}
	switch {
	case which == "":
		i.printf("uid=1000(user) gid=1000(user) groups=1000(user)\n")
	case name:
		i.printf("user\n")
	default:
		i.printf("1000\n")
	}
	return 0
}

func uname(i *Invocation) int {
	given, _ := i.options("asnrvmpio", nil, false)
	if len(given) == 0 {
		given = []option{{name: "s"}}
	}
	words := map[string]string{
		"s": "Sandbox",
		"n": "sandbox",
		"r": "1",
		"v": "1",
		"m": "wasm",
		"p": "wasm",
		"i": "wasm",
		"o": "Sandbox",
		"a": "Sandbox sandbox 1 1 wasm",
	}
	for k, o := range given {
		if k > 0 {
			i.printf(" ")
		}
		i.printf("%s", words[o.name])
	}
	i.printf("\n")
	return 0
}
