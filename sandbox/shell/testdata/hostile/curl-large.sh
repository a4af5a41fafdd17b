# class: host_calls
while :; do curl -s https://example.com/large > /dev/null; done
