# class: timeout
while :; do sleep 0.01; done
