# class: ok:2
head -c 20000 /dev/urandom > r.awk; awk -f r.awk; printf 'BEGIN { print "\\u0000\\xff\000 }' > z.awk; awk -f z.awk
