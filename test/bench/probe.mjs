// Loaded into each measured process: tells what it has used so far, whenever it is asked. Looking how much memory it has
// and how long it was busy costs time, so that is done only from when the peaks are to be forgotten.
const interval = 5
let peak = 0
let blocked = { cpu: 0, wall: 0 }
let turn
let watching = false

process.on('message', (question) => {
  if (question === 'forget the peaks') {
    peak = 0
    blocked = { cpu: 0, wall: 0 }
    turn = startTurn()
    if (!watching) setInterval(watch, interval).unref()
    watching = true
  }
  if (watching) watch()
  const { user, system } = process.cpuUsage()
  process.send({ cpu: (user + system) / 1000, peak, blocked })
})
// A thread of the process has none.
process.channel?.unref()

/** The longest that the event loop did not turn: in processor time of its thread, and by the clock, which counts what else the machine did. */
function watch() {
  const now = startTurn()
  blocked.wall = Math.max(blocked.wall, now.at - turn.at - interval)
  blocked.cpu = Math.max(blocked.cpu, Math.min(now.at - turn.at - interval, now.cpu - turn.cpu))
  turn = now
  peak = Math.max(peak, process.memoryUsage.rss())
}

function startTurn() {
  const { user, system } = process.threadCpuUsage?.() ?? process.cpuUsage()
  return { at: performance.now(), cpu: (user + system) / 1000 }
}
