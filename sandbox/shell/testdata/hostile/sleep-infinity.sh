# class: timeout
sleep infinity
