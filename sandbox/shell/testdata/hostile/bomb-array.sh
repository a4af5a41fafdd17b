# class: memory
a=(); x=$(head -c 1000 /dev/zero | tr '\0' x); while :; do a+=($x$x$x$x$x$x$x$x); a+=("${a[@]}"); done
