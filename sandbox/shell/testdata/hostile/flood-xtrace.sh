# class: timeout
set -x; while :; do :; done
