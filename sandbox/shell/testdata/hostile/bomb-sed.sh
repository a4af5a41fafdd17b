# class: memory
head -c 1000000 /dev/zero | tr '\0' a | sed ':a;s/a/aaaaaaaaaaaa/g;ba'
