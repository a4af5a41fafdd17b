# class: memory|timeout
cat /dev/zero | split -b 1M - p
