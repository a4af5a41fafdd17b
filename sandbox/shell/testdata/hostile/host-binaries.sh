# class: ok
/usr/bin/id 2>/dev/null && exit 9; /bin/busybox 2>/dev/null && exit 9; /lib/ld-linux.so.2 2>/dev/null && exit 9; exit 0
