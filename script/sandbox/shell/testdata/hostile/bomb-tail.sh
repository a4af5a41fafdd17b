# class: memory|timeout
tail -c 1G /dev/zero
