# class: ok|ok:1|timeout|memory
for i in {1..100000000}; do :; done
