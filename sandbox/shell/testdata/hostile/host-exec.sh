# class: ok:127
exec /usr/bin/env; exit 9
