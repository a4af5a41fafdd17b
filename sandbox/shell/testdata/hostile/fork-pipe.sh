# class: timeout
f() { f | f; }; f
