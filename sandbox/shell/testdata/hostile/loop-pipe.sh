# class: timeout
while :; do echo a | cat > /dev/null; done
