# class: ok
echo a | grep -E "((a{1,100}){1,100}){1,100}" 2>/dev/null; true
