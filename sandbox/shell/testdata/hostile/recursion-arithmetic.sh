# class: ok|failed|memory|timeout|trap
x=x; echo $((x))
