# class: ok:255|ok:2|ok:1
exit -1
