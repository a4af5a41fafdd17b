# class: ok:2|memory
awk '{ print length }' /dev/zero
