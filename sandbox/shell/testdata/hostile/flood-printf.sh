# class: timeout
while :; do printf '%1000s\n' x; done
