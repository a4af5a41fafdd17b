# class: timeout
while :; do echo x > /tmp/f; done
