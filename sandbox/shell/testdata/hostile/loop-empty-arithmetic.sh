# class: timeout
i=0; while ((1)); do ((i++)); done
