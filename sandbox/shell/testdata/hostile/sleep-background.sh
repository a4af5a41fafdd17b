# class: timeout
sleep 100 & wait
