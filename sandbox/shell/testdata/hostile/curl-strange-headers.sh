# class: ok
curl -s -H 'A: b
C: d' -H ':' -H 'x' -X 'GET / HTTP/1.1' https://example.com > /dev/null; exit 0
