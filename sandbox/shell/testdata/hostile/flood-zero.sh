# class: timeout
cat /dev/zero
