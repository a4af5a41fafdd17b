# class: memory|timeout
cat /dev/zero | tr '\0' a | grep b
