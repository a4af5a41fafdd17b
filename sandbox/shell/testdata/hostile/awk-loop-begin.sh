# class: timeout
awk 'BEGIN { while (1) i++ }'
