# class: memory
awk 'BEGIN { x = "x"; while (1) x = x x }'
