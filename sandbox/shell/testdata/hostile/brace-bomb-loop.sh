# class: timeout
for i in {1..100000000}; do :; done
