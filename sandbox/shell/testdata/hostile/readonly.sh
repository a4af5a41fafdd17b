# class: ok:1|ok
readonly x=1; x=2; exit 0
