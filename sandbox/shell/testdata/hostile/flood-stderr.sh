# class: timeout
while :; do echo x >&2; done
