# class: timeout
yes | xargs -n1 echo > /dev/null
