# class: memory|timeout|trap|ok
jq -n 'def f(x): f(x+x); f(1)'
