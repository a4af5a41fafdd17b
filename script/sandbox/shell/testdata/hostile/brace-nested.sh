# class: ok|memory|timeout
echo {1..1000}{1..1000}{1..1000} > /dev/null
