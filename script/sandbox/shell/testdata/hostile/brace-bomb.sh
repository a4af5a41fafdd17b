# class: ok|memory|timeout
echo {1..100000000} > /dev/null
