# class: timeout
while :; do (:); done
