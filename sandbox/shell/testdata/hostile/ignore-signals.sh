# class: timeout
trap '' INT TERM HUP; while :; do :; done
