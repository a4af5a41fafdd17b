# class: memory
cat /dev/zero > /tmp/f
