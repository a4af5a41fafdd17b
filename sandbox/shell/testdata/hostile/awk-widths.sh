# class: ok
awk 'BEGIN { printf "%999999999d %.999999999f %*d", 1, 1, 1e18, 1; x = substr("abc", -1e300, 1e308); x = substr("abc", "nan", log(-1)); NF = 5; print $(1e300) }' > /dev/null || :
