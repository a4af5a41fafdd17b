# class: ok:2
awk 'function f(n) { return f(n + 1) } BEGIN { f(0) }'
