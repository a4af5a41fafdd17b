# class: ok:2|memory|timeout
awk '{ print length }' /dev/zero
