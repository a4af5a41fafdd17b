# class: ok:44
exit 300
