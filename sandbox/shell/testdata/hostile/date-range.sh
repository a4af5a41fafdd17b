# class: ok
date -d @99999999999999999999 2>/dev/null; date -d '99999999 years ago' > /dev/null 2>&1; date -d @-1 > /dev/null; exit 0
