# class: timeout|memory|trap
f() { f | f; }; f
