# class: ok
for c in python perl node ruby nc telnet wget ssh sudo su mount docker gcc go; do command -v $c && exit 9; $c 2>/dev/null && exit 9; done; exit 0
