# class: ok
mkdir a; mv a a/b 2>/dev/null && exit 9; cp -r a a/c 2>/dev/null && exit 9; exit 0
