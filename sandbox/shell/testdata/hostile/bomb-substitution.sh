# class: memory
x=$(cat /dev/zero)
