# class: timeout
until false; do :; done
