# class: ok|memory
echo {1..100000000} > /dev/null
