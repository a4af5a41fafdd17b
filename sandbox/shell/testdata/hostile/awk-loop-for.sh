# class: timeout
awk 'BEGIN { for (;;); }' & awk 'BEGIN { do {} while (1) }'
