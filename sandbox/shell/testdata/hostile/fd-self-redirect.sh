# class: ok|memory
echo x > f; cat f >> f; cat f > f; wc -c < f
