# class: ok
echo "it's" | xargs echo 2>/dev/null; exit 0
