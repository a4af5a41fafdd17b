# class: timeout
while [[ a == a ]]; do :; done
