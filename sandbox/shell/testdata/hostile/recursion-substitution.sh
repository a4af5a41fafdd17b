# class: memory|timeout|trap
f() { x=$(f); }; f
