# class: ok
seq -f '%n' 3 2>/dev/null; seq -f '%s%s%s' 3 2>/dev/null; seq -f %99999999f 1 2>/dev/null | wc -c > /dev/null; exit 0
