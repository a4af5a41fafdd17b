# class: failed|ok
((((
