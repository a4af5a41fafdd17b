# class: memory|timeout
x=$(yes | head -c 100000000)
