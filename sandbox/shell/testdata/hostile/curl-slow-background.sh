# class: timeout
for i in $(seq 15); do curl -s https://example.com/slow & done; wait
