# class: ok
echo a | tr 'a-\377' x > /dev/null; echo a | tr '\000-\377' 'x'> /dev/null; exit 0
