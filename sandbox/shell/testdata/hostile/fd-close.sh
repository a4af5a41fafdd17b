# class: ok
exec 1>&- 2>&-; echo x; exit 0
