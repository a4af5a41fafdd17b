# class: timeout
trap 'while :; do :; done' EXIT
