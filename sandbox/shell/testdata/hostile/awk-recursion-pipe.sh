# class: memory|timeout|trap
echo 'BEGIN { while (1) print | "awk -f r.awk" } { print }' > r.awk; awk -f r.awk
