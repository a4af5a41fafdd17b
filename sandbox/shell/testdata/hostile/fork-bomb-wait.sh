# class: memory|timeout|trap
f() { f & f & wait; }; f
