# class: ok
curl -s ''; curl -s 'http://'; curl -s 'gopher://x'; curl -s "http://$(head -c 3000 /dev/zero | tr '\\0' a)" > /dev/null; curl -s 'http://a b' > /dev/null; exit 0
