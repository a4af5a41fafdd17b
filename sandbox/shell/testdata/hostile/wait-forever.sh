# class: ok|stalled|timeout
cat <(:) > /dev/null; wait
