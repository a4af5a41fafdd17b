# class: timeout
yes & yes >&2
