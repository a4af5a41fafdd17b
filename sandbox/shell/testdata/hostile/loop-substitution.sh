# class: timeout
while :; do x=$(echo a); done
