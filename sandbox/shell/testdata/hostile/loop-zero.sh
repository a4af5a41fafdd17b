# class: timeout
cat /dev/zero > /dev/null
