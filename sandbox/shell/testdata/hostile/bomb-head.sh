# class: memory
head -c 10G /dev/zero > f
