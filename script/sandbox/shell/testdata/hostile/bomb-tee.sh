# class: memory|timeout
yes | tee a b c > /dev/null
