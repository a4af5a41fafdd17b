# class: ok:2|memory
awk 'BEGIN { $1000000 = 1; print NF; $2147483647 = 1 }' > /dev/null
