# class: timeout
x=$(sleep 100)
