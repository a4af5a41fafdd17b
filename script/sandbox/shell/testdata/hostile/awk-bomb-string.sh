# class: memory|timeout
awk 'BEGIN { x = "x"; while (1) x = x x }'
