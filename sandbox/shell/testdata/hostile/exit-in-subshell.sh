# class: ok:7|ok
(exit 5); x=$(exit 6); echo a | exit 7; exit 0
