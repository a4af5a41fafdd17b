# class: ok
curl -s http://169.254.169.254/latest && exit 9; exit 0
