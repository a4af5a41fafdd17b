# class: memory
yes | tee a b c > /dev/null
