# class: memory
awk 'BEGIN { while (1) a[i++] = "some text that takes room" i }'
