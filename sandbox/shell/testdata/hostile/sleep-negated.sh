# class: timeout
! sleep 100
