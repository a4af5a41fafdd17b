# class: memory|timeout|trap
printf '#!/bin/sh\n./f\n' > f; chmod +x f; ./f
