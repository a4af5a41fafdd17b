# class: memory
awk 'BEGIN { x = sprintf("%1000s", ""); while (1) print x x x x x x x x > "f" }'
