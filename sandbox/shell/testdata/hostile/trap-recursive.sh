# class: ok|ok:3|timeout|memory|trap
trap 'exit 3' EXIT; exit 3
