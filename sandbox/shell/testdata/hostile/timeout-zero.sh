# class: timeout
timeout 0 sleep 100
