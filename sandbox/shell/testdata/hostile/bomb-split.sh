# class: memory
cat /dev/zero | split -b 1M - p
