# class: memory|ok:2|trap|timeout
awk "BEGIN { x = $(printf '(%.0s' $(seq 16000)) }"; p=$(yes '(' | head -c 4000000 | tr -d '\n'); awk "BEGIN { x = $p 1 }"
