# class: ok:3|ok
trap 'trap - EXIT; exit 3' EXIT; exit 0
