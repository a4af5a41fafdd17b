# class: memory|timeout
awk 'BEGIN { x = "x"; while (1) gsub(/x/, "xx", x) }'
