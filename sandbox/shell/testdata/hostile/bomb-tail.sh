# class: memory
tail -c 1G /dev/zero
