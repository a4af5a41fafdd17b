# class: timeout
f() { :; }; while :; do f; done
