# class: ok
cat /dev/stdin /dev/stdin; cat - -; exit 0
