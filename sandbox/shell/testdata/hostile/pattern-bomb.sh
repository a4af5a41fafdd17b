# class: ok
x=$(head -c 3000 /dev/zero | tr "\0" a); echo ${x//*(a)b/c} | wc -c > /dev/null; echo ${x%%*a*a*a*b} > /dev/null
