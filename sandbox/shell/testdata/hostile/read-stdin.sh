# class: ok
cat; read x; read y; head -1; exit 0
