# class: memory|timeout|trap
f() { (f); }; f
