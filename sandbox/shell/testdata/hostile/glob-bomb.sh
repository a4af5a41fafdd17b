# class: ok
x=$(head -c 200 /dev/zero | tr "\0" a); case $x in *a*a*a*a*a*a*a*a*a*a*b) ;; esac; [[ $x == *a*a*a*a*a*a*a*b ]]; true
