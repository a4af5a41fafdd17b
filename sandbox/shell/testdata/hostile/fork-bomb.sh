# class: ok|memory|timeout|trap
:(){ :|:& };:
