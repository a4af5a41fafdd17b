# class: timeout
while :; do eval ':'; done
