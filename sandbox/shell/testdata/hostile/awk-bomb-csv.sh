# class: ok:2|memory|timeout
(printf '"'; cat /dev/zero) | awk --csv '{ print NF }'
