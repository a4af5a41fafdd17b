# class: ok|ok:1|memory
for i in {1..100000000}; do :; done
