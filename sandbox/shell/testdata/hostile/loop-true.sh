# class: timeout
while true; do true; done
