# class: ok|stalled|timeout|failed
cat <(cat <(cat /dev/null)); true
