# class: timeout|memory
while :; do x=$(echo a); done
