# class: ok
curl -s file:///etc/passwd && exit 9; exit 0
