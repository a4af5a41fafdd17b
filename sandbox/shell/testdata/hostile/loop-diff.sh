# class: timeout
seq 1 3000 > a; seq 5000 8000 > b; while :; do diff a b > /dev/null; done
