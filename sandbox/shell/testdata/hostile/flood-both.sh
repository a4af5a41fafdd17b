# class: timeout|memory
yes & yes >&2
