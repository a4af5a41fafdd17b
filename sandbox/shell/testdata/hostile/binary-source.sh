# class: ok|failed|ok:127
$(printf '\377\376')
