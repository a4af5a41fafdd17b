# class: ok|memory
for i in $(seq 3000); do : > f$i; done; ls | wc -l
