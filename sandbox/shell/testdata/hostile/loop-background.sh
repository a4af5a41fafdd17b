# class: timeout|memory
while :; do : & done; wait
