# class: memory
head -c 1000000 /dev/zero > f; while :; do cat f >> g; done
