# class: ok
touch -- -rf "a b" "$(printf "new\nline")" "*"; rm -f -- * ; ls | wc -l; touch "$(head -c 300 /dev/zero | tr "\0" a)" 2>/dev/null && exit 9; exit 0
