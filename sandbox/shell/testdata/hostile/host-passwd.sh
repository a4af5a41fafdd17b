# class: ok
cat /etc/passwd /etc/hostname /etc/shadow 2>/dev/null && exit 9; exit 0
