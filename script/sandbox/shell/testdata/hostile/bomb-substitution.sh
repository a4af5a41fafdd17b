# class: memory|timeout
x=$(cat /dev/zero)
