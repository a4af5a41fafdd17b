# class: ok|failed
trap 'echo caught' INT TERM ERR DEBUG KILL 2>/dev/null; false; exit 0
