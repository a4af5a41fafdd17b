# class: timeout
while [ 1 = 1 ]; do x=1; done
