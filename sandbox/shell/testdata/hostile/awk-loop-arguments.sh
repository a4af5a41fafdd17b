# class: timeout
awk 'BEGIN { for (;;) ARGV[ARGC++] = "/dev/null" } { print }'; awk '{ ARGV[ARGC++] = "f"; print > "f" }' /bin/ls; while :; do awk 'BEGIN {}'; done
