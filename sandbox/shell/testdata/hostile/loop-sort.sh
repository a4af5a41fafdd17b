# class: timeout
while :; do seq 100 | sort -R 2>/dev/null | sort -n > /dev/null; done
