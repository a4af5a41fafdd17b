# class: memory
yes | xargs -n1 echo > /dev/null
