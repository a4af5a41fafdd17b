# class: timeout
while :; do mktemp > /dev/null; rm /tmp/tmp.*; done
