# class: timeout
curl -s https://example.com/slow | cat & wait
