# class: timeout
trap 'sleep 100' EXIT; exit 0
