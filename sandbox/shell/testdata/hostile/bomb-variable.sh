# class: memory
x=$(yes | head -c 100000000)
