# class: ok
head -c 5000 /dev/zero | tr "\0" a | sed -E "s/(a*)*b/x/" > /dev/null
