// Timers live in the guest: the host only asks when the next one is due, and fires one at a time.
const timers = []; // by time, then by age
let lastTimer = 0;
const queue = (timer) => {
  let low = 0;
  let high = timers.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (timers[middle].due <= timer.due) low = middle + 1;
    else high = middle;
  }
  timers.splice(low, 0, timer);
};
const start = (callback, delay, args, repeat) => {
  if (typeof callback !== 'function') throw new TypeError('The callback must be a function');
  const ms = max(repeat ? 1 : 0, min(Number(delay) || 0, 2147483647));
  const timer = { id: ++lastTimer, due: monotonic() + ms, callback, args, every: repeat ? ms : -1 };
  queue(timer);
  return timer.id;
};
const stop = (id) => {
  const at = timers.findIndex((t) => t.id === id);
  if (at >= 0) timers.splice(at, 1);
};
expose('setTimeout', function setTimeout(callback, delay = 0, ...args) {
  return start(callback, delay, args, false);
});
expose('setInterval', function setInterval(callback, delay = 0, ...args) {
  return start(callback, delay, args, true);
});
expose('clearTimeout', function clearTimeout(id) {
  stop(id);
});
expose('clearInterval', function clearInterval(id) {
  stop(id);
});

// next answers in how many milliseconds a timer is due, -1 without any.
const next = () => (timers.length === 0 ? -1 : max(0, timers[0].due - monotonic()));
const fire = () => {
  if (next() !== 0) return;
  const timer = timers.shift();
  if (timer.every >= 0) {
    timer.due = monotonic() + timer.every;
    queue(timer);
  }
  try {
    timer.callback(...timer.args);
  } catch (e) {
    report(e);
  }
};
