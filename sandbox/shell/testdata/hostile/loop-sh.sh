# class: timeout
while :; do sh -c ':'; done
