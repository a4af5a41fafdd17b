# class: host_calls
head -c 3000000 /dev/zero > f; for i in 1 2 3 4 5; do curl -s --data-binary @f https://example.com; done
