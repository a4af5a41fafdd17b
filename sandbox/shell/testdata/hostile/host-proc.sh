# class: ok
ls /proc /sys /root /work 2>/dev/null && exit 9; cat /proc/self/environ 2>/dev/null && exit 9; exit 0
