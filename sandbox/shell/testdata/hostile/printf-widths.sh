# class: ok
printf '%1000000s' x 2>/dev/null; printf '%*d' 99999999 1 | wc -c > /dev/null; exit 0
