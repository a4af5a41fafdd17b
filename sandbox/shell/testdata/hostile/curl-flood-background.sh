# class: host_calls
for i in $(seq 200); do curl -s https://example.com > /dev/null & done; wait
