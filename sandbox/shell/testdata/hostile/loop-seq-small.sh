# class: timeout
seq 0 0.0000001 1000000 > /dev/null
