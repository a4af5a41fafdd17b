# class: ok|memory
echo {1..1000}{1..1000}{1..1000} > /dev/null
