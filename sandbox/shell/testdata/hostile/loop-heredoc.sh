# class: timeout
while :; do cat <<A > /dev/null
x
A
done
