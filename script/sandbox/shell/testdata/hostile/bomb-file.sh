# class: memory|timeout
cat /dev/zero > /tmp/f
