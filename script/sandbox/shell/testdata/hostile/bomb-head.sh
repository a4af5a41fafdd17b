# class: memory|timeout
head -c 10G /dev/zero > f
