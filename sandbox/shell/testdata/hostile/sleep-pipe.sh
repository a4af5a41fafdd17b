# class: timeout
sleep 100 | sleep 100
