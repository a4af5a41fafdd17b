# class: timeout
cat /dev/urandom | tr -d a > /dev/null
