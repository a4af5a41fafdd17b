# class: host_calls
while :; do curl -s https://example.com > /dev/null; done
