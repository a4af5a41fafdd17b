# class: timeout
yes | while read x; do :; done
