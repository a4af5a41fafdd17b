# class: ok
echo a | od -w1000000 -An -tx1 > /dev/null; echo a | xxd -c 100000000 | wc -c > /dev/null; exit 0
