# class: timeout
timeout 1000 sleep 1000
